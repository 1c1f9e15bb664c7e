//===- InnerTensors.h - Tensors for the inner function ----------*- C++ -*-===//
//
// Fixed text, the last part of the helper header of contracts: what the first
// phase hands to the inner function that the toolkit generates. Tensors that it
// would refuse for no reason are described once more, strides and shapes become
// attributes. The questions about a call are in ContractHeader.h.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_HOST_INNERTENSORS_H
#define LOSSGRAD_CODEGEN_HOST_INNERTENSORS_H

namespace lossgrad::host {

constexpr char contractInnerTensors[] = R"cpp(
/* Strides of all tensors, one after the other, as the attribute of the inner function. */
class StrideList {
public:
    StrideList &Add(const Tensor &tensor)
    {
        strides_.insert(strides_.end(), tensor.Strides().begin(), tensor.Strides().end());
        return *this;
    }
    aclIntArray *Create() const
    {
        return aclCreateIntArray(strides_.data(), strides_.size());
    }

private:
    std::vector<int64_t> strides_;
};

/* Dtypes and shapes of all tensors that are handed on as bytes, as an attribute: dtype, rank, extents. */
class ShapeList {
public:
    ShapeList &Add(const Tensor &tensor)
    {
        if (tensor.Present()) {
            numbers_.push_back(static_cast<int64_t>(tensor.Dtype()));
            numbers_.push_back(tensor.Rank());
            const std::vector<int64_t> &extents = tensor.GetShape().extents;
            numbers_.insert(numbers_.end(), extents.begin(), extents.end());
        }
        return *this;
    }
    aclIntArray *Create() const
    {
        return aclCreateIntArray(numbers_.data(), numbers_.size());
    }

private:
    std::vector<int64_t> numbers_;
};

/*
 * Tensors for the inner function. It takes the dtypes of the definition and ND
 * and the layouts like it; what it would refuse for no reason is passed as a
 * second description of the same memory. A call that computes nothing is one on
 * empty tensors, of which the inner function makes an executor without a kernel.
 */
class InnerTensors {
public:
    explicit InnerTensors(bool done) : done_(done) {}
    ~InnerTensors()
    {
        for (size_t i = 0; i < described_.size(); ++i) {
            (void)aclDestroyTensor(described_[i]);
        }
    }
    /* Shape and strides say where elements are, the layout tag adds nothing. `dtype` is one of the definition's. */
    const aclTensor *Of(const Tensor &description, const aclTensor *tensor, aclDataType dtype)
    {
        const aclFormat tag = description.FormatTag();
        if (tensor != nullptr && done_) {
            return Empty(dtype);
        }
        if (tensor == nullptr || tag == ACL_FORMAT_ND || tag == ACL_FORMAT_NCHW || tag == ACL_FORMAT_NHWC ||
            tag == ACL_FORMAT_NCDHW || tag == ACL_FORMAT_NCL) {
            return tensor;
        }
        return Describe(tensor, description.Dtype(), description.GetShape().extents, description.Strides(), 1);
    }
    /* Of an input that not every call reads, and whose dtype does not matter then: as the first of the definition's. */
    const aclTensor *Of(const Tensor &description, const aclTensor *tensor, std::initializer_list<aclDataType> dtypes)
    {
        bool isListed = false;
        for (aclDataType dtype : dtypes) {
            isListed = isListed || description.Dtype() == dtype;
        }
        if (tensor == nullptr || done_ || isListed) {
            return Of(description, tensor, *dtypes.begin());
        }
        return Describe(tensor, *dtypes.begin(), description.GetShape().extents, description.Strides(), 1);
    }
    /*
     * For operators with more combinations of dtypes than a definition should list: the bytes from the first to the
     * last element; what they are is an attribute of the call (ShapeList).
     */
    const aclTensor *BytesOf(const Tensor &description, const aclTensor *tensor)
    {
        if (tensor == nullptr) {
            return tensor;
        }
        if (done_ || description.Numel() == 0) {
            return Empty(ACL_UINT8);
        }
        const int64_t size = static_cast<int64_t>(aclDataTypeSize(description.Dtype()));
        const std::vector<int64_t> &extents = description.GetShape().extents;
        int64_t before = 0;
        int64_t after = size;
        for (size_t i = 0; i < extents.size(); ++i) {
            const int64_t reach = (extents[i] - 1) * description.Strides()[i] * size;
            (reach < 0 ? before : after) += reach < 0 ? -reach : reach;
        }
        if (before == 0) {
            return Describe(tensor, ACL_UINT8, std::vector<int64_t>(1, after), std::vector<int64_t>(1, 1), size);
        }
        // Negative strides: an axis to the left of the first element, one to the right.
        return Describe(tensor, ACL_UINT8, {before + 1, after}, {-1, 1}, size);
    }
    /* Descriptions live until the second phase, so an executor keeps its own until it is handed out again. */
    void KeepFor(const aclOpExecutor *executor)
    {
        // An executor without a kernel refers to no tensor.
        if (described_.empty() || done_) {
            return;
        }
        static std::mutex access;
        static std::map<const aclOpExecutor *, std::vector<const aclTensor *> > kept;
        std::lock_guard<std::mutex> lock(access);
        kept[executor].swap(described_);
    }

private:
    InnerTensors(const InnerTensors &);
    InnerTensors &operator=(const InnerTensors &);
    const aclTensor *Keep(const aclTensor *tensor)
    {
        described_.push_back(tensor);
        return tensor;
    }
    const aclTensor *Empty(aclDataType dtype)
    {
        const int64_t extent = 0;
        const int64_t stride = 1;
        return Keep(aclCreateTensor(&extent, 1, dtype, &stride, 0, ACL_FORMAT_ND, &extent, 1, nullptr));
    }
    /* The memory of a tensor as elements of which each of its own is `parts`. */
    const aclTensor *Describe(const aclTensor *tensor, aclDataType dtype, const std::vector<int64_t> &extents,
        const std::vector<int64_t> &strides, int64_t parts)
    {
        int64_t offset = 0;
        void *memory = nullptr;
        int64_t *numbers = nullptr;
        uint64_t rank = 0;
        if (aclGetViewOffset(tensor, &offset) != OK || aclGetRawTensorAddr(tensor, &memory) != OK ||
            aclGetStorageShape(tensor, &numbers, &rank) != OK) {
            return tensor; // which is refused
        }
        std::vector<int64_t> storage(numbers, numbers + rank);
        delete[] numbers;
        storage.push_back(parts);
        return Keep(aclCreateTensor(extents.data(), extents.size(), dtype, strides.data(), offset * parts,
            ACL_FORMAT_ND, storage.data(), parts == 1 ? rank : rank + 1, memory));
    }

    bool done_;
    std::vector<const aclTensor *> described_;
};

)cpp";

} // namespace lossgrad::host

#endif // LOSSGRAD_CODEGEN_HOST_INNERTENSORS_H

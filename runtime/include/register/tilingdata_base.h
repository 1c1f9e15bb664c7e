//===- tilingdata_base.h - tiling data as a class ---------------*- C++ -*-===//
//
// BEGIN_TILING_DATA_DEF ... END_TILING_DATA_DEF makes a host class with
// set_/get_ accessors over a byte buffer; lossgrad-opbuild writes the struct
// for the kernel from the recorded fields. Each field is aligned to the size of
// its element, nested structs and the whole to 8 bytes. New operators are
// better served by one plain struct that host and kernel share.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_REGISTER_TILINGDATA_BASE_H
#define LOSSGRAD_REGISTER_TILINGDATA_BASE_H

#include "graph/ascend_string.h"
#include "graph/compiler_def.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace optiling {

class FieldInfo {
public:
  enum Kind { Plain, Array, Struct };
  FieldInfo(const char *dtype, const char *name)
      : dtype_(dtype), name_(name), kind_(Plain) {}
  FieldInfo(const char *dtype, const char *name, size_t arrSize)
      : dtype_(dtype), name_(name), kind_(Array), arrSize_(arrSize) {}
  FieldInfo(const char *dtype, const char *name, const char *structType,
            size_t structSize)
      : dtype_(dtype), name_(name), kind_(Struct), structType_(structType),
        structSize_(structSize) {}

  const char *dtype_;
  const char *name_;
  Kind kind_;
  size_t arrSize_ = 0;
  const char *structType_ = nullptr;
  size_t structSize_ = 0;
  size_t offset_ = 0;
};

class TilingDef {
public:
  TilingDef() = default;
  TilingDef(const TilingDef &) = delete;
  TilingDef &operator=(const TilingDef &) = delete;
  virtual ~TilingDef() = default;

  /// Copies the fields; does nothing when the capacity is too small, which
  /// GetDataSize lets the caller see beforehand.
  void SaveToBuffer(void *pdata, size_t capacity) {
    if (pdata == nullptr || capacity < data_size_)
      return;
    std::memcpy(pdata, data_ptr_, data_size_);
  }
  size_t GetDataSize() const { return data_size_; }
  std::vector<FieldInfo> GetFieldInfo() const { return field_info_; }
  const char *GetTilingClassName() const { return class_name_; }

  /// Places the fields in somebody else's memory (a nested struct).
  void SetDataPtr(void *data) {
    data_ptr_ = static_cast<uint8_t *>(data);
    placeNested();
  }

protected:
  /// Field initialisers run in order and hand out the offsets.
  size_t addField(FieldInfo field, size_t alignment, size_t bytes) {
    data_size_ = roundUp(data_size_, alignment);
    field.offset_ = data_size_;
    field_info_.push_back(field);
    data_size_ += bytes;
    return field.offset_;
  }
  size_t addStruct(FieldInfo field, TilingDef *nested) {
    const size_t offset = addField(field, 8, nested->GetDataSize());
    nested_.emplace_back(nested, offset);
    return offset;
  }
  void finish(const char *name, bool ownData) {
    class_name_ = name;
    data_size_ = roundUp(data_size_, 8);
    if (!ownData)
      return;
    storage_.reset(new uint8_t[data_size_ + 1]());
    SetDataPtr(storage_.get());
  }

  uint8_t *data_ptr_ = nullptr;

private:
  static size_t roundUp(size_t value, size_t to) {
    return (value + to - 1) / to * to;
  }
  void placeNested() {
    for (auto &entry : nested_)
      entry.first->SetDataPtr(data_ptr_ ? data_ptr_ + entry.second : nullptr);
  }

  std::vector<FieldInfo> field_info_;
  std::vector<std::pair<TilingDef *, size_t>> nested_;
  std::unique_ptr<uint8_t[]> storage_;
  size_t data_size_ = 0;
  const char *class_name_ = "";
};

using TilingDataConstructor = std::shared_ptr<TilingDef> (*)();

/// The tiling classes of operators and of nested structs, for generation.
class METADEF_FUNC_VISIBILITY CTilingDataClassFactory {
public:
  static CTilingDataClassFactory &GetInstance();
  void RegisterTilingData(const char *op_type,
                          const TilingDataConstructor constructor);
  std::shared_ptr<TilingDef> CreateTilingDataInstance(const char *op_type);
  /// Every registered name, operators and nested structs alike.
  std::vector<ge::AscendString> Names() const;

private:
  std::map<ge::AscendString, TilingDataConstructor> constructors;
};

} // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                                      \
  class class_name : public ::optiling::TilingDef {                            \
    typedef class_name SelfType;                                               \
                                                                               \
  public:                                                                      \
    class_name() { finish(#class_name, true); }                                \
    explicit class_name(void *ptr) {                                           \
      finish(#class_name, false);                                              \
      if (ptr != nullptr)                                                      \
        SetDataPtr(ptr);                                                       \
    }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                           \
public:                                                                        \
  void set_##field_name(data_type value) {                                     \
    std::memcpy(data_ptr_ + field_name##_offset_, &value, sizeof(value));      \
  }                                                                            \
  data_type get_##field_name() const {                                         \
    data_type value;                                                           \
    std::memcpy(&value, data_ptr_ + field_name##_offset_, sizeof(value));      \
    return value;                                                              \
  }                                                                            \
                                                                               \
private:                                                                       \
  size_t field_name##_offset_ =                                                \
      addField(::optiling::FieldInfo(#data_type, #field_name),                 \
               sizeof(data_type), sizeof(data_type));

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)              \
public:                                                                        \
  void set_##field_name(const arr_type *values) {                              \
    std::memmove(data_ptr_ + field_name##_offset_, values,                     \
                 (arr_size) * sizeof(arr_type));                               \
  }                                                                            \
  arr_type *get_##field_name() {                                               \
    return reinterpret_cast<arr_type *>(data_ptr_ + field_name##_offset_);     \
  }                                                                            \
                                                                               \
private:                                                                       \
  size_t field_name##_offset_ =                                                \
      addField(::optiling::FieldInfo(#arr_type, #field_name, (arr_size)),      \
               sizeof(arr_type), (arr_size) * sizeof(arr_type));

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                  \
public:                                                                        \
  struct_type field_name{nullptr};                                             \
                                                                               \
private:                                                                       \
  size_t field_name##_offset_ =                                                \
      addStruct(::optiling::FieldInfo("struct", #field_name, #struct_type,     \
                                      field_name.GetDataSize()),               \
                &field_name);

#define END_TILING_DATA_DEF                                                    \
  }                                                                            \
  ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                        \
  namespace {                                                                  \
  struct op_type##class_name##Helper {                                         \
    op_type##class_name##Helper() {                                            \
      ::optiling::CTilingDataClassFactory::GetInstance().RegisterTilingData(   \
          #op_type, &create);                                                  \
    }                                                                          \
    static std::shared_ptr<::optiling::TilingDef> create() {                   \
      return std::make_shared<class_name>();                                   \
    }                                                                          \
  };                                                                           \
  static op_type##class_name##Helper VAR_UNUSED                                \
      g_tilingdata_##op_type##class_name##helper;                              \
  }

#endif // LOSSGRAD_REGISTER_TILINGDATA_BASE_H

//===- ProjectFiles.h - What a project has besides sources ------*- C++ -*-===//
//
// The files that belong to a project as a whole: build description, README.
// Fixed text with a few lists filled in.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_PROJECT_PROJECTFILES_H
#define LOSSGRAD_CODEGEN_PROJECT_PROJECTFILES_H

#include "codegen/Project/Project.h"

namespace lossgrad::project {

std::vector<EmittedFile> emitProjectFiles(const Project &project);

} // namespace lossgrad::project

#endif // LOSSGRAD_CODEGEN_PROJECT_PROJECTFILES_H

#pragma once

#include <memory>
#include <string>

#include "dppl/images.h"

// One function a kind of source. Labels come from where the kind has them; `labels` names another file of labels, or is
// empty.
namespace dppl {

// A folder of class folders, a folder of images without labels, or a folder with the files of CIFAR-10.
std::unique_ptr<ImageSource> open_folder(const std::string& path);
// One "path,label" or "path" per line, relative to the list; with a header that names it, also a column "person".
std::unique_ptr<ImageSource> open_csv(const std::string& path);
std::unique_ptr<ImageSource> open_idx(const std::string& path, const std::string& labels);
std::unique_ptr<ImageSource> open_npy(const std::string& path, const std::string& labels);
// CIFAR-10 or CIFAR-100, distinguished by the size of the file, then by its name.
std::unique_ptr<ImageSource> open_cifar(const std::string& path, size_t bytes);
std::unique_ptr<ImageSource> open_cifar10(const std::vector<std::string>& paths);
bool is_cifar(const std::string& path, size_t bytes);
std::unique_ptr<ImageSource> open_stl10(const std::string& path, const std::string& labels);
bool is_stl10(const std::string& path, size_t bytes);

// Labels that stand in a file of their own: IDX, plain or packed by gzip, or .npy. Not checked against classes.
std::vector<int64_t> read_image_labels(const std::string& path);

// A file in the same folder; empty where there is none.
std::string beside(const std::string& path, const std::string& name);
// The classes that a file of names beside `path` lists, or `count` numbered ones.
ClassSet classes_beside(const std::string& path, const std::string& name, size_t count);

}  // namespace dppl

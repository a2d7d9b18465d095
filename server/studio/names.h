// Names that come from a browser and become names of files.
#pragma once

#include <string>
#include <string_view>

namespace muster::server {

// 400 unless the name can be a class folder's: UTF-8 of at most 100 bytes without control
// characters and slashes, no dot at its beginning, no space at its ends, and none that means
// something else in a folder of data, such as "train".
void check_class_name(const std::string& name);

// Whether it names one file in a folder: neither hidden nor a path.
bool is_plain_name(std::string_view name);

// Whether `muster train` takes a file of that name for a picture.
bool is_picture_name(std::string_view name);

// The name under which an uploaded picture is kept: what the browser calls it as far as that is
// harmless, with an extension that fits its content.
std::string picture_name(std::string_view given, std::string_view content);
// "a.png" becomes "a-2.png".
std::string numbered_name(const std::string& name, int number);

}  // namespace muster::server

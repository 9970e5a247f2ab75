// Numbers of threads that the scripted device of device_child.cpp takes for an order.
#pragma once

namespace gpx::child {

enum : unsigned { kHangs = 13, kCrashes = 14, kFails = 15, kRefused = 16, kGarbage = 17 };

}  // namespace gpx::child

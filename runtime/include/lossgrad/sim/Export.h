// The two attributes that the border between a user's kernel and the library
// needs: what the library exports, and the hint for branches that only an
// error or an observer takes.
#pragma once

#define LOSSGRAD_API __attribute__((visibility("default")))
#define LOSSGRAD_UNLIKELY(cond) __builtin_expect(!!(cond), 0)

// Precompiled for every file that uses libtorch: its headers take half a minute on their own.
#pragma once
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

// Precompiled for every file that uses libtorch: parsing its headers takes half a minute.
#pragma once
#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

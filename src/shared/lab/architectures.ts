/** The architectures that the trainer supports: `native/models` registers the same names, which a test compares. */

export interface Architecture {
  readonly name: string;
  readonly family: string;
  /** Trained parameters with 1000 classes, including auxiliary heads that only training uses. */
  readonly parameters: number;
  /** Of these, the parameters of each class. */
  readonly perClass: number;
  /** Minimum edge in pixels of images that it can be trained with. */
  readonly minSize?: number;
  /** The edge must be a multiple of this. */
  readonly sizeMultiple?: number;
}

export const architectures: readonly Architecture[] = [
  { name: 'alexnet', family: 'AlexNet', parameters: 61_100_840, perClass: 4_097, minSize: 63 },
  { name: 'vgg11', family: 'VGG', parameters: 132_863_336, perClass: 4_097, minSize: 32 },
  { name: 'vgg11_bn', family: 'VGG', parameters: 132_868_840, perClass: 4_097, minSize: 32 },
  { name: 'vgg13', family: 'VGG', parameters: 133_047_848, perClass: 4_097, minSize: 32 },
  { name: 'vgg13_bn', family: 'VGG', parameters: 133_053_736, perClass: 4_097, minSize: 32 },
  { name: 'vgg16', family: 'VGG', parameters: 138_357_544, perClass: 4_097, minSize: 32 },
  { name: 'vgg16_bn', family: 'VGG', parameters: 138_365_992, perClass: 4_097, minSize: 32 },
  { name: 'vgg19', family: 'VGG', parameters: 143_667_240, perClass: 4_097, minSize: 32 },
  { name: 'vgg19_bn', family: 'VGG', parameters: 143_678_248, perClass: 4_097, minSize: 32 },
  { name: 'resnet18', family: 'ResNet', parameters: 11_689_512, perClass: 513 },
  { name: 'resnet34', family: 'ResNet', parameters: 21_797_672, perClass: 513 },
  { name: 'resnet50', family: 'ResNet', parameters: 25_557_032, perClass: 2_049 },
  { name: 'resnet101', family: 'ResNet', parameters: 44_549_160, perClass: 2_049 },
  { name: 'resnet152', family: 'ResNet', parameters: 60_192_808, perClass: 2_049 },
  { name: 'resnext50_32x4d', family: 'ResNeXt', parameters: 25_028_904, perClass: 2_049 },
  { name: 'resnext101_32x8d', family: 'ResNeXt', parameters: 88_791_336, perClass: 2_049 },
  { name: 'resnext101_64x4d', family: 'ResNeXt', parameters: 83_455_272, perClass: 2_049 },
  { name: 'wide_resnet50_2', family: 'Wide ResNet', parameters: 68_883_240, perClass: 2_049 },
  { name: 'wide_resnet101_2', family: 'Wide ResNet', parameters: 126_886_696, perClass: 2_049 },
  { name: 'densenet121', family: 'DenseNet', parameters: 7_978_856, perClass: 1_025, minSize: 29 },
  { name: 'densenet161', family: 'DenseNet', parameters: 28_681_000, perClass: 2_209, minSize: 29 },
  { name: 'densenet169', family: 'DenseNet', parameters: 14_149_480, perClass: 1_665, minSize: 29 },
  { name: 'densenet201', family: 'DenseNet', parameters: 20_013_928, perClass: 1_921, minSize: 29 },
  { name: 'googlenet', family: 'GoogLeNet', parameters: 13_004_888, perClass: 3_075, minSize: 15 },
  { name: 'inception_v3', family: 'Inception', parameters: 27_161_264, perClass: 2_818, minSize: 299 },
  { name: 'shufflenet_v2_x0_5', family: 'ShuffleNet', parameters: 1_366_792, perClass: 1_025 },
  { name: 'shufflenet_v2_x1_0', family: 'ShuffleNet', parameters: 2_278_604, perClass: 1_025 },
  { name: 'shufflenet_v2_x1_5', family: 'ShuffleNet', parameters: 3_503_624, perClass: 1_025 },
  { name: 'shufflenet_v2_x2_0', family: 'ShuffleNet', parameters: 7_393_996, perClass: 2_049 },
  { name: 'mobilenet_v2', family: 'MobileNet', parameters: 3_504_872, perClass: 1_281 },
  { name: 'mobilenet_v3_small', family: 'MobileNet', parameters: 2_542_856, perClass: 1_025 },
  { name: 'mobilenet_v3_large', family: 'MobileNet', parameters: 5_483_032, perClass: 1_281 },
  { name: 'squeezenet1_0', family: 'SqueezeNet', parameters: 1_248_424, perClass: 513, minSize: 21 },
  { name: 'squeezenet1_1', family: 'SqueezeNet', parameters: 1_235_496, perClass: 513, minSize: 17 },
  { name: 'mnasnet0_5', family: 'MnasNet', parameters: 2_218_512, perClass: 1_281 },
  { name: 'mnasnet0_75', family: 'MnasNet', parameters: 3_170_208, perClass: 1_281 },
  { name: 'mnasnet1_0', family: 'MnasNet', parameters: 4_383_312, perClass: 1_281 },
  { name: 'mnasnet1_3', family: 'MnasNet', parameters: 6_282_256, perClass: 1_281 },
  { name: 'efficientnet_b0', family: 'EfficientNet', parameters: 5_288_548, perClass: 1_281 },
  { name: 'efficientnet_b1', family: 'EfficientNet', parameters: 7_794_184, perClass: 1_281 },
  { name: 'efficientnet_b2', family: 'EfficientNet', parameters: 9_109_994, perClass: 1_409 },
  { name: 'efficientnet_b3', family: 'EfficientNet', parameters: 12_233_232, perClass: 1_537 },
  { name: 'efficientnet_b4', family: 'EfficientNet', parameters: 19_341_616, perClass: 1_793 },
  { name: 'efficientnet_b5', family: 'EfficientNet', parameters: 30_389_784, perClass: 2_049 },
  { name: 'efficientnet_b6', family: 'EfficientNet', parameters: 43_040_704, perClass: 2_305 },
  { name: 'efficientnet_b7', family: 'EfficientNet', parameters: 66_347_960, perClass: 2_561 },
  { name: 'efficientnet_v2_s', family: 'EfficientNet', parameters: 21_458_488, perClass: 1_281 },
  { name: 'efficientnet_v2_m', family: 'EfficientNet', parameters: 54_139_356, perClass: 1_281 },
  { name: 'efficientnet_v2_l', family: 'EfficientNet', parameters: 118_515_272, perClass: 1_281 },
  { name: 'convnext_tiny', family: 'ConvNeXt', parameters: 28_589_128, perClass: 769 },
  { name: 'convnext_small', family: 'ConvNeXt', parameters: 50_223_688, perClass: 769 },
  { name: 'convnext_base', family: 'ConvNeXt', parameters: 88_591_464, perClass: 1_025 },
  { name: 'convnext_large', family: 'ConvNeXt', parameters: 197_767_336, perClass: 1_537 },
  { name: 'regnet_y_400mf', family: 'RegNet', parameters: 4_344_144, perClass: 441 },
  { name: 'regnet_y_800mf', family: 'RegNet', parameters: 6_432_512, perClass: 785 },
  { name: 'regnet_y_1_6gf', family: 'RegNet', parameters: 11_202_430, perClass: 889 },
  { name: 'regnet_y_3_2gf', family: 'RegNet', parameters: 19_436_338, perClass: 1_513 },
  { name: 'regnet_y_8gf', family: 'RegNet', parameters: 39_381_472, perClass: 2_017 },
  { name: 'regnet_y_16gf', family: 'RegNet', parameters: 83_590_140, perClass: 3_025 },
  { name: 'regnet_y_32gf', family: 'RegNet', parameters: 145_046_770, perClass: 3_713 },
  { name: 'regnet_y_128gf', family: 'RegNet', parameters: 644_812_894, perClass: 7_393 },
  { name: 'regnet_x_400mf', family: 'RegNet', parameters: 5_495_976, perClass: 401 },
  { name: 'regnet_x_800mf', family: 'RegNet', parameters: 7_259_656, perClass: 673 },
  { name: 'regnet_x_1_6gf', family: 'RegNet', parameters: 9_190_136, perClass: 913 },
  { name: 'regnet_x_3_2gf', family: 'RegNet', parameters: 15_296_552, perClass: 1_009 },
  { name: 'regnet_x_8gf', family: 'RegNet', parameters: 39_572_648, perClass: 1_921 },
  { name: 'regnet_x_16gf', family: 'RegNet', parameters: 54_278_536, perClass: 2_049 },
  { name: 'regnet_x_32gf', family: 'RegNet', parameters: 107_811_560, perClass: 2_521 },
  {
    name: 'vit_b_16',
    family: 'Vision Transformer',
    parameters: 86_567_656,
    perClass: 769,
    minSize: 16,
    sizeMultiple: 16,
  },
  {
    name: 'vit_b_32',
    family: 'Vision Transformer',
    parameters: 88_224_232,
    perClass: 769,
    minSize: 32,
    sizeMultiple: 32,
  },
  {
    name: 'vit_l_16',
    family: 'Vision Transformer',
    parameters: 304_326_632,
    perClass: 1_025,
    minSize: 16,
    sizeMultiple: 16,
  },
  {
    name: 'vit_l_32',
    family: 'Vision Transformer',
    parameters: 306_535_400,
    perClass: 1_025,
    minSize: 32,
    sizeMultiple: 32,
  },
  {
    name: 'vit_h_14',
    family: 'Vision Transformer',
    parameters: 632_045_800,
    perClass: 1_281,
    minSize: 14,
    sizeMultiple: 14,
  },
  { name: 'swin_t', family: 'Swin Transformer', parameters: 28_288_354, perClass: 769 },
  { name: 'swin_s', family: 'Swin Transformer', parameters: 49_606_258, perClass: 769 },
  { name: 'swin_b', family: 'Swin Transformer', parameters: 87_768_224, perClass: 1_025 },
  { name: 'swin_v2_t', family: 'Swin Transformer', parameters: 28_351_570, perClass: 769 },
  { name: 'swin_v2_s', family: 'Swin Transformer', parameters: 49_737_442, perClass: 769 },
  { name: 'swin_v2_b', family: 'Swin Transformer', parameters: 87_930_848, perClass: 1_025 },
  {
    name: 'maxvit_t',
    family: 'MaxViT',
    parameters: 30_919_624,
    perClass: 512,
    minSize: 224,
    sizeMultiple: 224,
  },
];

export const findArchitecture = (name: string): Architecture | undefined =>
  architectures.find((architecture) => architecture.name === name);

const withoutBatchNorm: ReadonlySet<string> = new Set([
  'AlexNet',
  'SqueezeNet',
  'ConvNeXt',
  'Vision Transformer',
  'Swin Transformer',
]);

/**
 * How many values a channel of the last batch norm has of an image of this edge: the last feature map is 32 times smaller than the image,
 * VGG's 16 times. Undefined where there is no batch norm.
 */
export function lastNormValues({ name, family }: Architecture, size: number): number | undefined {
  const isVgg = family === 'VGG';
  if (withoutBatchNorm.has(family) || (isVgg && !name.endsWith('_bn'))) return undefined;
  return Math.ceil(size / (isVgg ? 16 : 32)) ** 2;
}

/** Trained parameters of a model with so many classes: each is four bytes of every exchange of gradients. */
export const parametersFor = (architecture: Architecture, classes: number): number =>
  architecture.parameters + (classes - 1000) * architecture.perClass;

/** The nearest edges that the architecture can be trained with, where this edge is invalid. */
export function nearestSizes(architecture: Architecture, size: number): readonly number[] | undefined {
  const { minSize = 1, sizeMultiple = 1 } = architecture;
  if (size >= minSize && size % sizeMultiple === 0) return undefined;
  if (size < minSize) return [minSize];
  const below = Math.floor(size / sizeMultiple) * sizeMultiple;
  return [below, below + sizeMultiple];
}

const folded = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * Suggestions for an unknown architecture: names with the same beginning, or else all families. Case, dashes and the
 * like are ignored.
 */
export function likeNames(word: string): readonly string[] {
  const wanted = folded(word);
  for (let length = wanted.length; length >= 3; length -= 1) {
    const alike = architectures.filter(({ name }) => folded(name).startsWith(wanted.slice(0, length)));
    if (alike.length > 0) return alike.slice(0, 8).map(({ name }) => name);
  }
  return [...new Set(architectures.map(({ family }) => family))];
}

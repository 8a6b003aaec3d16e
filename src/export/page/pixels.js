// What becomes of an image before the model sees it: to the bit what src/images/resize.cc makes of it, so that the
// page answers as the program does. A canvas resizes otherwise, and each browser in its own way.
//
// An image is {width, height, pixels}, with four bytes per pixel as a canvas has them; the fourth is not used.

const kPlaces = 22, kHalf = 1 << (kPlaces - 1);  // weights are integers of so many binary places

const kFilters = {
  bilinear: {support: 1, at: (x) => Math.max(0, 1 - Math.abs(x))},
  bicubic: {
    support: 2,
    at: (x) => {
      const a = -0.5, away = Math.abs(x);
      if (away < 1) return ((a + 2) * away - (a + 3)) * away * away + 1;
      return away < 2 ? (((away - 5) * away + 8) * away - 4) * a : 0;
    },
  },
};

// What each pixel of the result takes from a line of the source: weights for the pixels from `first` on.
const windows = (from, to, filter) => {
  const scale = from / to, wide = Math.max(scale, 1), support = filter.support * wide;
  return Array.from({length: to}, (_, i) => {
    const centre = (i + 0.5) * scale;
    const first = Math.trunc(Math.max(centre - support + 0.5, 0));
    const end = Math.min(Math.trunc(centre + support + 0.5), from);
    const weights = [];
    let sum = 0;
    for (let k = first; k < end; ++k) {
      weights.push(filter.at((k - centre + 0.5) * (1 / wide)));
      sum += weights.at(-1);
    }
    const units = weights.map((weight) => weight * (1 / sum) * (1 << kPlaces));
    return {first, weights: Int32Array.from(units, (unit) => Math.trunc(unit < 0 ? unit - 0.5 : unit + 0.5))};
  });
};

const blank = (width, height) => ({width, height, pixels: new Uint8ClampedArray(width * height * 4)});

const resizeAcross = (image, width, filter) => {
  const result = blank(width, image.height), source = image.pixels, out = result.pixels;
  const across = windows(image.width, width, filter);
  let to = 0;
  for (let y = 0; y < image.height; ++y) {
    for (const {first, weights} of across) {
      let red = kHalf, green = kHalf, blue = kHalf, from = 4 * (y * image.width + first);
      for (let k = 0; k < weights.length; ++k, from += 4) {
        red += source[from] * weights[k];
        green += source[from + 1] * weights[k];
        blue += source[from + 2] * weights[k];
      }
      out[to] = red >> kPlaces;
      out[to + 1] = green >> kPlaces;
      out[to + 2] = blue >> kPlaces;
      to += 4;
    }
  }
  return result;
};

const resizeDown = (image, height, filter) => {
  const result = blank(image.width, height), source = image.pixels, out = result.pixels, stride = 4 * image.width;
  const sums = new Int32Array(stride);
  windows(image.height, height, filter).forEach(({first, weights}, y) => {
    sums.fill(kHalf);
    for (let k = 0; k < weights.length; ++k) {
      const line = (first + k) * stride;
      for (let x = 0; x < stride; ++x) sums[x] += source[line + x] * weights[k];
    }
    for (let x = 0; x < stride; ++x) out[y * stride + x] = sums[x] >> kPlaces;
  });
  return result;
};

const resize = (image, width, height, interpolation) => {
  const filter = kFilters[interpolation];
  const across = width === image.width ? image : resizeAcross(image, width, filter);
  return height === image.height ? across : resizeDown(across, height, filter);
};

const centreCrop = (image, width, height) => {
  if (width === image.width && height === image.height) return image;
  const left = Math.trunc((image.width - width) / 2), top = Math.trunc((image.height - height) / 2);
  const result = blank(width, height);
  for (let y = 0; y < height; ++y) {
    const line = 4 * ((top + y) * image.width + left);
    result.pixels.set(image.pixels.subarray(line, line + 4 * width), 4 * y * width);
  }
  return result;
};

// The tensor that the model takes. Its graph resizes as well, to the same bits; but of a photograph it would make matrices that a phone
// has no room for.
const prepare = (image, how) => {
  const least = Math.max(1, Math.min(image.width, image.height));
  const size = how.resized ?? [image.width, image.height].map((side) => Math.trunc(how.shorter * side / least));
  const resized = resize(image, ...size, how.interpolation);
  const {width, height, pixels} = how.crop ? centreCrop(resized, ...how.crop) : resized;
  return inBatch('uint8', pixels.filter((_, i) => i % 4 < 3), [height, width, 3], how.batch);
};

// The pixels of something that can be drawn, on white where it is transparent.
const draw = (source, width, height) => {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  // In memory and not on a graphics card, which rounds in its own way.
  const context = canvas.getContext('2d', {willReadFrequently: true});
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.drawImage(source, 0, 0);
  return {width, height, pixels: context.getImageData(0, 0, width, height).data};
};

// An image file, upright. Colour profiles and gamma are ignored, as the usual training pipelines do.
const decodeImage = async (file) => {
  const bitmap = await createImageBitmap(file, {colorSpaceConversion: 'none'});
  try {
    return draw(bitmap, bitmap.width, bitmap.height);
  } finally {
    bitmap.close();
  }
};

// Some browsers change the pixels that a page reads, against pages that recognise visitors by them.
const pixelsAreTrue = () => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 16;
  const context = canvas.getContext('2d', {willReadFrequently: true}), sample = context.createImageData(16, 16);
  for (let i = 0; i < sample.data.length; ++i) sample.data[i] = i % 4 === 3 ? 255 : i * 37;
  context.putImageData(sample, 0, 0);
  const seen = context.getImageData(0, 0, 16, 16).data;
  return sample.data.every((value, i) => value === seen[i]);
};

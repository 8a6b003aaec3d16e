// Embeddings as NumPy saves them: a .npy of two dimensions, C order, little endian, as `dppl predict` takes it; or of one dimension,
// a single row.

const halfToFloat = (half) => {
  const sign = half & 0x8000 ? -1 : 1, exponent = half >> 10 & 31, fraction = half & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction / 1024 * 2 ** -14);
};

const kNumberTypes = {
  '<f2': {bytes: 2, values: (buffer) => Float32Array.from(new Uint16Array(buffer), halfToFloat)},
  '<f4': {bytes: 4, values: (buffer) => new Float32Array(buffer)},
  '<f8': {bytes: 8, values: (buffer) => Float32Array.from(new Float64Array(buffer))},
  '|u1': {bytes: 1, values: (buffer) => Float32Array.from(new Uint8Array(buffer))},
  '|i1': {bytes: 1, values: (buffer) => Float32Array.from(new Int8Array(buffer))},
};

// One Float32Array per row. Throws an Error that says what is wrong with the file.
const readRows = (buffer, dim) => {
  const bytes = new Uint8Array(buffer), view = new DataView(buffer);
  const isNpy = bytes.length >= 12 && String.fromCharCode(...bytes.subarray(1, 6)) === 'NUMPY' && bytes[0] === 0x93;
  if (!isNpy) throw new Error('is not a .npy file; save the embeddings with numpy.save');
  const long = bytes[6] > 1, begin = long ? 12 : 10;
  const end = begin + (long ? view.getUint32(8, true) : view.getUint16(8, true));
  const header = new TextDecoder().decode(bytes.subarray(begin, end));
  const kind = /'descr': *'([^']*)'/.exec(header)?.[1], type = kNumberTypes[kind];
  const shape = /'shape': *\(([^)]*)\)/.exec(header)?.[1].split(',').filter((part) => part.trim()).map(Number) ?? [];
  if (!type) throw new Error(`holds values of type ${kind}; save float32, float16, float64, uint8 or int8`);
  if (!/'fortran_order': *False/.test(header) || shape.length < 1 || shape.length > 2)
    throw new Error('is not a matrix in C order; save one row per record');
  if (shape.at(-1) !== dim)
    throw new Error(`has rows of ${shape.at(-1)} values, the model takes ${dim}; embed with the same encoder`);
  const rows = shape.length === 1 ? 1 : shape[0];
  if (bytes.length !== end + rows * dim * type.bytes) throw new Error('is cut short, or longer than it says');
  const values = type.values(buffer.slice(end));
  if (!values.every(Number.isFinite)) throw new Error('holds values that are not numbers');
  return Array.from({length: rows}, (_, i) => values.subarray(i * dim, (i + 1) * dim));
};

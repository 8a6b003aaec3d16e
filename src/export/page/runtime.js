// The model and what runs it, both of which stand in the page as base64.

const bytesIn = (id) => {
  const text = document.getElementById(id).textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  return bytes;
};

const unzipped = (bytes) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();

// One record as a tensor; a model that takes several at a time gets as many of the same.
const inBatch = (type, values, shape, batch = 1) => {
  const data = new (type === 'uint8' ? Uint8Array : Float32Array)(batch * values.length);
  for (let i = 0; i < batch; ++i) data.set(values, i * values.length);
  return new ort.Tensor(type, data, [batch, ...shape]);
};

// A function from the tensor that the model takes to {label, probabilities}. One thread: more would need workers, which a page that is a file
// cannot have, and memory that is shared, which most servers do not allow.
const openModel = async ({input, outputs}) => {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = await unzipped(bytesIn('runtime'));
  const session = await ort.InferenceSession.create(bytesIn('model'), {executionProviders: ['wasm'], logSeverityLevel: 3});
  return async (tensor) => {
    const result = await session.run({[input.name]: tensor});
    const probabilities = result[outputs.probabilities];
    return {label: Number(result[outputs.label].data[0]), probabilities: [...probabilities.data.subarray(0, probabilities.dims[1])]};
  };
};

// The same as encoders.cc with onnxruntime-node: encoders.mjs PACKAGES MODEL.onnx TENSOR OUT SIZE BATCH THREADS SECONDS
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const [packages, model, tensorFile, out, size, batch, threads, limit] = process.argv.slice(2);
const ort = createRequire(packages + '/')('onnxruntime-node');
const session = await ort.InferenceSession.create(model, {intraOpNumThreads: +threads, interOpNumThreads: 1});
const bytes = readFileSync(tensorFile);
const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const image = 3 * size * size, images = values.length / image;
const feeds = [];
for (let i = 0; i < images; i += +batch) {
  const part = values.slice(i * image, (i + +batch) * image);
  feeds.push({[session.inputNames[0]]: new ort.Tensor('float32', part, [+batch, 3, +size, +size])});
}

const rows = [];
for (const feed of feeds) rows.push(Buffer.from((await session.run(feed))[session.outputNames[0]].data.slice().buffer));
writeFileSync(out, Buffer.concat(rows));

const begin = performance.now();
let seconds = 0, done = 0;
for (; seconds < +limit; done += images) {
  for (const feed of feeds) await session.run(feed);
  seconds = (performance.now() - begin) / 1000;
}
console.log((done / seconds).toFixed(2));

// What visitors see and do: show an image (dropped, pasted, chosen, taken with the camera) or rows of embeddings, read the answer.

const settings = JSON.parse(document.getElementById('settings').textContent);
const at = (id) => document.getElementById(id);
const kTop = 5;             // classes that are listed at once
const kAlike = 3;           // of them shown by public images
const kAlikeLeast = 0.05;   // unless they are this improbable
const kCrispSide = 64;      // up to here pixels are shown as squares

const element = (tag, properties = {}, children = []) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const percent = (p) => p > 0 && p < 0.001 ? '< 0.1%' : p < 1 && p > 0.999 ? '> 99.9%' : `${(100 * p).toFixed(1)}%`;

// ---- The model

const opened = openModel(settings);
const takesImages = settings.kind === 'image';

// {label, probabilities} of an image file or a row.
const classify = async (record) => {
  const run = await opened;
  if (!takesImages) return run(inBatch('float32', record, [record.length]));
  return run(prepare(await decodeImage(record), settings.input));
};

// ---- The answer

const sureness = (answer, order) => {
  const [first, second] = order.map((c) => answer.probabilities[c]);
  const words = first >= 0.95 ? 'very sure' : first >= 0.75 ? 'fairly sure' : first >= 0.5 ? 'not very sure' : 'unsure';
  const next = order.length > 1 && first < 0.95 ? ` Next comes ${settings.classes[order[1]]} with ${percent(second)}.` : '';
  return `The model is ${words}: ${percent(first)}.${next}`;
};

const classRow = (answer, c) => element('tr', {}, [
  element('th', {scope: 'row', textContent: settings.classes[c]}),
  element('td', {}, [element('progress', {className: 'bar', max: 1, value: answer.probabilities[c], ariaHidden: 'true'})]),
  element('td', {className: 'number', textContent: percent(answer.probabilities[c])}),
]);

// Public images stand in the section below, class after class, as far as there are any.
const publicImages = (c) => document.querySelectorAll('#prototypes figure')[c];

const showAnswer = (record) => {
  const {answer} = record;
  const order = answer.probabilities.map((_, c) => c).sort((a, b) => answer.probabilities[b] - answer.probabilities[a] || a - b);
  // The model's own word: of classes that are equally probable it has chosen one.
  order.splice(order.indexOf(answer.label), 1);
  order.unshift(answer.label);
  at('name').textContent = record.name;
  at('winner').textContent = settings.classes[answer.label];
  at('sure').textContent = sureness(answer, order);
  at('top').replaceChildren(...order.slice(0, kTop).map((c) => classRow(answer, c)));
  at('rest').hidden = order.length <= kTop;
  at('rest').querySelector('summary').textContent = `${order.length - kTop} more`;
  at('rest').querySelector('tbody').replaceChildren(...order.slice(kTop).map((c) => classRow(answer, c)));
  const alike = order.slice(0, kAlike).filter((c, i) => publicImages(c) && (i === 0 || answer.probabilities[c] >= kAlikeLeast));
  at('alike').hidden = alike.length === 0;
  at('alike').querySelector('.gallery').replaceChildren(...alike.map((c) => publicImages(c).cloneNode(true)));
  at('answer').hidden = false;
  at('said').textContent = `${settings.classes[answer.label]}. ${at('sure').textContent}`;
};

const showPicture = (record) => {
  const picture = at('picture');
  URL.revokeObjectURL(picture.src);
  picture.hidden = !record.file;
  at('invitation').hidden = Boolean(record.file);
  at('place').classList.toggle('full', Boolean(record.file));
  if (!record.file) return;
  picture.onload = () => picture.classList.toggle('crisp', Math.max(picture.naturalWidth, picture.naturalHeight) <= kCrispSide);
  picture.src = URL.createObjectURL(record.file);
  picture.alt = record.name;
};

// ---- What is being looked at

let records = [], shown = 0;

const show = (i) => {
  shown = i;
  at('stepper').hidden = records.length < 2;
  at('position').textContent = `${i + 1} of ${records.length}`;
  at('back').disabled = !records[i - 1]?.answer;
  at('on').disabled = !records[i + 1]?.answer;
  showPicture(records[i]);
  showAnswer(records[i]);
};

const listAll = () => {
  at('all').hidden = records.length < 2;
  at('all').querySelector('summary').textContent = `All ${records.length}`;
  at('all').querySelector('tbody').replaceChildren(...records.map(({name, answer}) => element('tr', {}, [
    element('th', {scope: 'row', textContent: name}),
    element('td', {textContent: settings.classes[answer.label]}),
    element('td', {className: 'number', textContent: percent(answer.probabilities[answer.label])}),
  ])));
};

const say = (text) => { at('status').textContent = text; };

// Lets the browser draw and answer from time to time; true if it did.
let drawn = 0;
const breath = async () => {
  if (performance.now() - drawn < 50) return false;
  await new Promise((resolve) => setTimeout(resolve));
  drawn = performance.now();
  return true;
};

// Whoever shows something new while the old is still being looked at sees the new.
let turn = 0;
const lookAt = async (next, complaint = '') => {
  const mine = ++turn, complaints = complaint ? [complaint] : [];
  records = next;
  at('answer').hidden = at('all').hidden = true;
  showPicture(next[0] ?? {});
  say('Looking …');
  let first = null;
  for (const [i, record] of next.entries()) {
    if (await breath() && i > 0) say(`${i} of ${next.length} …`);
    try {
      record.answer = await classify(record.file ?? record.values);
    } catch (error) {
      complaints.push(`${record.name}: cannot be read as an image here; save it as JPEG or PNG`);
      if (!(error instanceof DOMException)) console.error(error);
    }
    if (mine !== turn) return;
    first ??= record.answer && record;
    if (first === record) show(i);
  }
  const current = next[shown];
  records = next.filter((record) => record.answer);
  listAll();
  if (records.length > 0) show(Math.max(0, records.indexOf(current)));
  else showPicture({});
  say(complaints.join('. '));
};

const rowsOf = async (file) => {
  const rows = readRows(await file.arrayBuffer(), settings.input.dim);
  return rows.map((values, i) => ({name: rows.length > 1 ? `${file.name}, row ${i + 1}` : file.name, values}));
};

const take = async (files) => {
  if (files.length === 0) return;
  if (takesImages) return lookAt(files.map((file) => ({name: file.name, file})));
  try {
    await lookAt((await Promise.all(files.map(rowsOf))).flat());
  } catch (error) {
    await lookAt([], `${files.map((file) => file.name).join(', ')}: ${error.message}`);
  }
};

// ---- Ways in

at('choose').onclick = at('place').onclick = () => {
  at('files').removeAttribute('capture');
  at('files').click();
};
at('files').onchange = () => {
  take([...at('files').files]);
  at('files').value = '';  // the same file may be chosen again
};
document.addEventListener('paste', (event) => {
  if (event.clipboardData.files.length > 0) take([...event.clipboardData.files]);
});
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  at('place').classList.add('over');
});
document.addEventListener('dragleave', () => at('place').classList.remove('over'));
document.addEventListener('drop', (event) => {
  event.preventDefault();
  at('place').classList.remove('over');
  take([...event.dataTransfer.files]);
});
at('back').onclick = () => show(shown - 1);
at('on').onclick = () => show(shown + 1);
document.addEventListener('keydown', (event) => {
  const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  if (step && !at('viewfinder').open && records[shown + step]?.answer) show(shown + step);
});

// Public images are there to be tried, too.
const tryImage = (image) => {
  const canvas = element('canvas', {width: image.naturalWidth, height: image.naturalHeight});
  canvas.getContext('2d').drawImage(image, 0, 0);
  canvas.toBlob((file) => lookAt([{name: image.alt, file}]), 'image/png');
  at('place').scrollIntoView({block: 'nearest'});
};
if (takesImages) {
  for (const image of document.querySelectorAll('#prototypes img')) {
    const button = element('button', {type: 'button', className: 'try'});
    image.replaceWith(button);
    button.append(image);
  }
}
document.addEventListener('click', (event) => {
  const button = event.target.closest('button.try');
  if (button) tryImage(button.firstChild);
});

// ---- The camera

const closeCamera = () => {
  at('video').srcObject?.getTracks().forEach((track) => track.stop());
  at('video').srcObject = null;
};
at('camera').onclick = async () => {
  // Pages from a server without encryption get no stream; a phone's own camera still hands over a picture.
  if (!navigator.mediaDevices) {
    at('files').setAttribute('capture', 'environment');
    at('files').click();
    return;
  }
  try {
    at('video').srcObject = await navigator.mediaDevices.getUserMedia({video: {facingMode: 'environment'}});
    at('viewfinder').showModal();
  } catch (error) {
    say(error.name === 'NotFoundError' ? 'There is no camera.' : 'The camera may not be used; the browser asks for permission.');
  }
};
at('shoot').onclick = () => {
  const video = at('video'), canvas = element('canvas', {width: video.videoWidth, height: video.videoHeight});
  canvas.getContext('2d').drawImage(video, 0, 0);
  at('viewfinder').close();
  canvas.toBlob((file) => lookAt([{name: 'From the camera', file}]), 'image/png');
};
at('leave').onclick = () => at('viewfinder').close();
at('viewfinder').onclose = closeCamera;

// ---- The model, to take along

at('save').onclick = () => {
  const url = URL.createObjectURL(new Blob([bytesIn('model')]));
  element('a', {href: url, download: settings.file}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};

// For whoever wants to try the page from its console, tests among them.
globalThis.dppl = {settings, classify, prepare, decodeImage, readRows};

opened.then(
  () => say(takesImages && !pixelsAreTrue()
    ? 'Ready. This browser changes the pixels that pages may see, so answers may differ a little from those of the program.'
    : 'Ready.'),
  (error) => {
    console.error(error);
    say(`The model cannot be run in this browser: ${error.message}`);
  });

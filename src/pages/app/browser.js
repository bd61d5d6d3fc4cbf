// Runs in the browser on the page of an app: sends the form, follows the run, and fills in examples. Without JavaScript,
// the browser sends the form, and the page of the run reloads itself.
const app = document.querySelector('.app');
const form = app.querySelector('.app-form');
const { slug, access, token, solver } = app.dataset;
const api = `/api/v1/apps/${slug}`;
const headers = token === '' ? {} : { 'x-app-visitor': token };
const visitorQuery = token === '' ? '' : `?visitor=${encodeURIComponent(token)}`;
// Pages that embed the app have a header of their own.
if (window.top !== window) app.classList.add('embedded');
app.classList.add('scripted');
const find = selector => app.querySelector(selector);
/** Whether the visitor pays, and sees the price before a run starts. */
const asksPrice = form.dataset.asksPrice !== undefined;
let events;
let shownPath;
/** The controls whose chosen file the service already has. */
const uploaded = new WeakSet();

/** Throws an error with the message of the service and its issues. */
async function send(path, options) {
  const response = await fetch(api + path, { ...options, headers: { ...headers, ...options?.headers } });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.error), { issues: body.issues ?? [] });
  return body;
}

const sendJson = (path, body, extraHeaders = {}) =>
  send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...extraHeaders },
    body: JSON.stringify(body),
  });

function showErrors(message, issues = []) {
  find('[data-error]').replaceChildren(
    ...(message === '' ? [] : [Object.assign(document.createElement('p'), { textContent: message })]),
  );
  const byKey = new Map(issues.map(({ path = '', message: text }) => [path.split('/')[2], text]));
  for (const error of form.querySelectorAll('.field .error')) {
    const key = error.id.replace(/-error$/, '');
    const text = byKey.get(key) ?? '';
    error.textContent = text;
    const control = form.querySelector(`[name="${key}"]:not([type=hidden])`);
    if (text === '') control?.removeAttribute('aria-invalid');
    else control?.setAttribute('aria-invalid', 'true');
  }
  form.querySelector('[aria-invalid=true]')?.focus();
}

/** Returns the values of the controls. Uploads chosen files first. */
async function readInputs() {
  const inputs = {};
  for (const control of form.querySelectorAll('[id^=input_], .switch input')) {
    const { name, type, value, dataset } = control;
    if (control.matches('.help, .error')) continue;
    if (type === 'checkbox') inputs[name] = control.checked;
    else if (type === 'file') {
      const hidden = form.querySelector(`[type=hidden][name="${name}"]`);
      if (control.files.length > 0 && !uploaded.has(control)) {
        const [file] = control.files;
        const body = new FormData();
        // The service checks the proof before it reads the file.
        if (access === 'proof') body.append('proof', await solveChallenge());
        body.append('file', file);
        const { mediaId } = await send('/media', { method: 'POST', body });
        // Another file may have been chosen meanwhile.
        if (control.files[0] === file) {
          hidden.value = mediaId;
          uploaded.add(control);
        }
      }
      if (hidden.value !== '') inputs[name] = { mediaId: hidden.value };
    } else if (value.trim() === '') continue;
    else if (dataset.kind === 'list') inputs[name] = value.split('\n').filter(line => line.trim() !== '');
    else if (dataset.kind === 'json') inputs[name] = parseJson(value);
    else if (type === 'number' || type === 'range') inputs[name] = Number(value);
    else inputs[name] = control.matches('select[data-kind=number]') ? Number(value) : value;
  }
  return inputs;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Requests a challenge, solves it in a worker, and returns the proof of work. */
async function solveChallenge() {
  if (crypto.subtle === undefined) throw new Error('This page needs HTTPS to run the app. Sign in instead.');
  const challenge = await send('/challenge');
  const worker = new Worker(solver);
  const number = await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => reject(new Error('The browser could not start the app. Reload the page.'));
    worker.postMessage(challenge);
  });
  worker.terminate();
  const { algorithm, challenge: hash, salt, signature } = challenge;
  return btoa(JSON.stringify({ algorithm, challenge: hash, number, salt, signature }));
}

function setBusy(isBusy, text) {
  const button = find('[data-run]');
  button.disabled = isBusy;
  if (text === undefined) return;
  find('[data-status-text]').textContent = text;
  // An earlier result is not the result of the run that starts.
  find('.app-outputs').ariaBusy = String(isBusy);
}

let priceRequests = 0;

/** Asks for the price of the values and shows it. Returns whether it is more than the price that was shown before. */
async function updatePrice(inputs) {
  const request = ++priceRequests;
  const shown = Number(form.maxCredits.value);
  const show = (credits, text) => {
    // Another request may have been sent meanwhile.
    if (request !== priceRequests) return;
    form.maxCredits.value = credits;
    find('[data-price]').textContent = text;
  };
  try {
    const { credits } = await sendJson('/estimate', { inputs });
    show(
      credits,
      `This run costs at most ${credits} ${credits === 1 ? 'credit' : 'credits'}, paid by your workspace.`,
    );
    return credits > shown;
  } catch (error) {
    show('', '');
    throw error;
  }
}

async function run() {
  shownPath = undefined;
  showErrors('');
  setBusy(true, 'Starting…');
  try {
    const inputs = await readInputs();
    if (asksPrice && (await updatePrice(inputs))) return setBusy(false, 'Check the price, then run the app.');
    const maxCredits = form.maxCredits.value;
    const body = {
      inputs,
      ...(access === 'proof' ? { proof: await solveChallenge() } : {}),
      ...(maxCredits === '' ? {} : { maxCredits: Number(maxCredits) }),
    };
    const { runId } = await sendJson('/run', body, {
      'idempotency-key': crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`,
    });
    history.replaceState(null, '', `/a/${slug}/runs/${runId}${visitorQuery}`);
    await showRun(runId);
    find('#app-result').focus({ preventScroll: matchMedia('(min-width: 60rem)').matches });
    follow(runId);
  } catch (error) {
    setBusy(false, '');
    showErrors(error.message, error.issues);
    // Another tab may have used the runs that are left.
    const page = await fetchPage(`/a/${slug}${visitorQuery}`).catch(() => undefined);
    if (page !== undefined) showNotes(page);
  }
}

/** Returns undefined if the service refuses the page. */
async function fetchPage(path) {
  const response = await fetch(path);
  const text = await response.text();
  return response.ok ? new DOMParser().parseFromString(text, 'text/html') : undefined;
}

/** Shows how many runs are left. */
function showNotes(page) {
  find('[data-notes]').replaceWith(document.adoptNode(page.querySelector('[data-notes]')));
}

/** Fetches a page and shows its result. Returns the page, or undefined if the fetch failed or was superseded. */
async function showResult(path) {
  shownPath = path;
  const page = await fetchPage(path);
  // Another result may have been requested meanwhile.
  if (page === undefined || shownPath !== path) return undefined;
  find('[data-result]').replaceWith(document.adoptNode(page.querySelector('[data-result]')));
  showLocalTimes();
  return page;
}

/** Shows a run, and updates the list of earlier results. */
async function showRun(runId) {
  const page = await showResult(`/a/${slug}/runs/${runId}${visitorQuery}`);
  if (page === undefined) return;
  showNotes(page);
  const newHistory = page.querySelector('[data-history]');
  const oldHistory = find('[data-history]');
  if (newHistory === null) return;
  if (oldHistory !== null) oldHistory.replaceWith(document.adoptNode(newHistory));
  else find('.app-body').after(document.adoptNode(newHistory.closest('section')));
}

function follow(runId) {
  events?.close();
  setBusy(true);
  events = new EventSource(`${api}/runs/${runId}/events${visitorQuery}`);
  let shownCount = 0;
  events.addEventListener('run', async ({ data }) => {
    const { status, progress, outputs } = JSON.parse(data);
    const hasEnded = !['QUEUED', 'RUNNING'].includes(status);
    if (hasEnded) events.close();
    const bar = find('[data-result] progress');
    if (bar !== null) bar.value = progress;
    const count = Object.keys(outputs).length;
    if (hasEnded || count > shownCount || find('[data-result]').dataset.status !== status)
      await showRun(runId);
    shownCount = count;
    if (!hasEnded) return;
    const button = find('[data-run]');
    button.textContent = 'Run again';
    setBusy(false);
  });
}

/** Shows the file of the visitor in place of the file of the app, or the latter if `url` is undefined. */
function showFile(control, url) {
  const { kind } = control.dataset;
  const field = control.parentElement;
  const element = document.createElement(kind === 'image' ? 'img' : kind);
  if (kind === 'image') element.alt = 'The chosen file';
  else Object.assign(element, { controls: true, ariaLabel: 'The chosen file' });
  if (url !== undefined) element.src = url;
  field.querySelector('[data-chosen]').replaceChildren(...(url === undefined ? [] : [element]));
  for (const own of field.querySelectorAll('[data-own]')) own.hidden = url !== undefined;
}

function fillForm(values) {
  showErrors('');
  for (const [key, value] of Object.entries(values)) {
    const control = form.querySelector(`[name="${key}"]:not([type=hidden])`);
    if (control === null) continue;
    if (control.type === 'file') {
      form.querySelector(`[type=hidden][name="${key}"]`).value = value.mediaId;
      control.value = '';
      control.dataset.kept = '';
      showFile(control, value.url);
    } else if (control.type === 'checkbox') control.checked = value === true || value === 1;
    else
      control.value = Array.isArray(value)
        ? value.join('\n')
        : typeof value === 'object'
          ? JSON.stringify(value)
          : value;
    control.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

form.addEventListener('submit', event => {
  event.preventDefault();
  if (!find('[data-run]').disabled) void run();
});

form.addEventListener('input', ({ target }) => {
  if (target.type === 'range')
    target.parentElement.querySelector('output').value = Number(Number(target.value).toPrecision(6));
});

// Browsers take the first of several files.
form.addEventListener('drop', ({ target, dataTransfer }) => {
  if (target.type !== 'file') return;
  const count = dataTransfer.files.length;
  form.querySelector(`#${target.id}-error`).textContent =
    count > 1 ? `This field takes one file. Only one of the ${count} files was chosen.` : '';
});

form.addEventListener('change', async ({ target }) => {
  if (target.type === 'file') {
    const [file] = target.files;
    uploaded.delete(target);
    form.querySelector(`[type=hidden][name="${target.name}"]`).value = '';
    delete target.dataset.kept;
    showFile(target, file && URL.createObjectURL(file));
  }
  // Sending the form shows an error.
  if (asksPrice) await updatePrice(await readInputs()).catch(() => undefined);
});

app.addEventListener('submit', async event => {
  if (!event.target.matches('[data-cancel]')) return;
  event.preventDefault();
  event.target.querySelector('button').disabled = true;
  await send(`/runs/${find('[data-result]').dataset.runId}/cancel`, { method: 'POST' }).catch(
    () => undefined,
  );
});

app.addEventListener('click', async event => {
  const example = event.target.closest('[data-values]');
  if (example !== null) {
    event.preventDefault();
    fillForm(JSON.parse(example.dataset.values));
    if (!find('[data-run]').disabled) void showResult(example.href);
    form.scrollIntoView({ block: 'nearest' });
    form.querySelector('[id^=input_]')?.focus();
  }
  const button = event.target.closest('[data-copy], [data-save]');
  if (button !== null) await copyOrSave(button);
  const link = event.target.closest('[data-link]');
  if (link === null || navigator.clipboard === undefined) return;
  event.preventDefault();
  await navigator.clipboard.writeText(link.href);
  find('[data-status-text]').textContent = 'Link copied';
});

/** Copies a text result, or saves it as a file. */
async function copyOrSave(button) {
  const { textContent, dataset } = button.closest('.item').querySelector('[data-text]');
  if (button.dataset.copy !== undefined) {
    await navigator.clipboard?.writeText(textContent);
    find('[data-status-text]').textContent =
      navigator.clipboard === undefined ? 'Copying needs HTTPS' : 'Copied';
    return;
  }
  const href = URL.createObjectURL(new Blob([textContent], { type: 'text/plain' }));
  Object.assign(document.createElement('a'), { href, download: dataset.name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Shows times in the visitor's time zone instead of UTC, in English words, as the rest of the page. */
function showLocalTimes() {
  const locale = navigator.language.startsWith('en') ? navigator.language : 'en-GB';
  for (const time of app.querySelectorAll('time[datetime]'))
    time.textContent = new Date(time.dateTime).toLocaleString(locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
}

showLocalTimes();
const { runId, status } = find('[data-result]').dataset;
if (status === 'QUEUED' || status === 'RUNNING') follow(runId);

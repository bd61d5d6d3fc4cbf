// Runs in the browser on the pages of the API reference: search, language tabs, and sending requests.
const MAX_RESULTS = 12;
const MAX_SHOWN_CHARACTERS = 200_000;

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** Keeps the API key in this tab only. */
const keyStore = {
  read: () => sessionStorage.getItem('graphwright-key') ?? '',
  write: key => sessionStorage.setItem('graphwright-key', key),
};

function showSamples() {
  const languages = ['curl', 'JavaScript', 'Python'];
  const selectLanguage = selected => {
    localStorage.setItem('graphwright-language', selected);
    for (const sample of all('.sample')) sample.hidden = sample.dataset.language !== selected;
    for (const tab of all('.samples [role=tab]')) {
      tab.ariaSelected = String(tab.textContent === selected);
      tab.tabIndex = tab.textContent === selected ? 0 : -1;
    }
  };
  all('.samples').forEach((samples, index) => {
    const tabs = document.createElement('div');
    tabs.role = 'tablist';
    tabs.ariaLabel = 'Language';
    for (const language of languages) {
      const panel = all('.sample', samples).find(sample => sample.dataset.language === language);
      panel.id = `sample-${index}-${language}`;
      panel.role = 'tabpanel';
      panel.ariaLabel = language;
      panel.querySelector('h3').remove();
      const tab = document.createElement('button');
      tab.type = 'button';
      tab.role = 'tab';
      tab.textContent = language;
      tab.setAttribute('aria-controls', panel.id);
      tab.addEventListener('click', () => selectLanguage(language));
      tab.addEventListener('keydown', event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step === undefined) return;
        const next = languages[(languages.indexOf(language) + step + languages.length) % languages.length];
        selectLanguage(next);
        all('[role=tab]', tabs)
          .find(other => other.textContent === next)
          .focus();
      });
      tabs.append(tab);
    }
    samples.prepend(tabs);
  });
  const last = localStorage.getItem('graphwright-language');
  selectLanguage(languages.includes(last) ? last : 'curl');
}

function startSearch() {
  const form = document.querySelector('[data-search]');
  const input = form.querySelector('input');
  const status = form.querySelector('[role=status]');
  const list = form.querySelector('[data-found]');
  let index;
  const load = () => {
    index ??= fetch('/docs/search.json').then(response => response.json());
    return index;
  };
  const search = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const entries = words.length === 0 ? [] : await load();
    const rank = ({ title }) => words.filter(word => title.toLowerCase().includes(word)).length;
    const found = entries
      .filter(entry => words.every(word => entry.searchText.includes(word)))
      .sort((a, b) => rank(b) - rank(a));
    list.replaceChildren(...found.slice(0, MAX_RESULTS).map(toItem));
    status.textContent = words.length === 0 ? '' : `${found.length} found`;
  };
  input.addEventListener('focus', load, { once: true });
  input.addEventListener('input', search);
  form.addEventListener('submit', event => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.target.closest('input, textarea') !== null) return;
    event.preventDefault();
    input.focus();
  });
  form.hidden = false;
}

function toItem({ title, note, path }) {
  const link = document.createElement('a');
  link.href = path;
  link.textContent = title;
  const small = document.createElement('small');
  small.textContent = note;
  link.append(small);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function startCredential() {
  const box = document.querySelector('[data-credential]');
  const input = box.querySelector('input');
  input.value = keyStore.read();
  input.addEventListener('input', () => keyStore.write(input.value.trim()));
  box.hidden = false;
  // The session is requested when the box is opened, because browsers log the error that they get without a session.
  box.addEventListener('toggle', () => showSession(box.querySelector('[data-session]')), { once: true });
}

async function showSession(note) {
  const response = await fetch('/api/v1/auth/session', { headers: { accept: 'application/json' } });
  if (!response.ok) return;
  const { user } = await response.json();
  note.textContent = `Signed in as ${user.email}. Requests use your session unless you enter a key.`;
}

/** Builds the request of a form. Sends the API key if there is one, otherwise the session cookie. */
function buildRequest(form) {
  const { method, path } = form.dataset;
  const fields = new FormData(form);
  const query = new URLSearchParams();
  const headers = {};
  let filledPath = path;
  for (const [name, value] of fields) {
    const [location, key] = name.split(':');
    if (typeof value !== 'string' || value === '' || key === undefined) continue;
    if (location === 'path') filledPath = filledPath.replace(`{${key}}`, encodeURIComponent(value));
    else if (location === 'query') query.append(key, value);
    else headers[key] = value;
  }
  const key = keyStore.read();
  if (key !== '') headers.authorization = `Bearer ${key}`;
  const file = fields.get('file');
  const text = fields.get('body');
  let body;
  if (file !== null) {
    body = new FormData();
    body.set('file', file);
  } else if (text !== null && text.trim() !== '') {
    body = text;
    headers['content-type'] = 'application/json';
  }
  const address = query.size === 0 ? filledPath : `${filledPath}?${query}`;
  return [address, { method, headers, body, credentials: key === '' ? 'same-origin' : 'omit' }];
}

async function send(form, signal) {
  const output = form.querySelector('.response');
  output.hidden = false;
  output.textContent = 'Sending…';
  try {
    const [address, init] = buildRequest(form);
    const response = await fetch(address, { ...init, signal });
    const head = `${response.status} ${response.statusText}\n${[...response.headers].map(pair => pair.join(': ')).join('\n')}\n\n`;
    await showBody(response, text => {
      output.textContent = head + text;
    });
  } catch (error) {
    const message = signal.aborted ? 'Stopped.' : `The request failed: ${error.message}`;
    output.textContent = `${output.textContent.replace('Sending…', '')}\n${message}`.trim();
  }
}

/** Shows text as it arrives, for event streams. For other content, shows the size. */
async function showBody(response, show) {
  const type = response.headers.get('content-type') ?? '';
  if (!/json|text|xml/.test(type)) {
    const { size } = await response.blob();
    show(size === 0 ? '' : `${size} bytes of ${type}`);
    return;
  }
  let text = '';
  show(text);
  if (response.body === null) return;
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    show(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text);
    if (text.length > MAX_SHOWN_CHARACTERS) break;
  }
  if (type.includes('json') && text.length <= MAX_SHOWN_CHARACTERS)
    show(JSON.stringify(JSON.parse(text), null, 2));
}

function startForms() {
  for (const form of all('.try form')) {
    form.closest('details').hidden = false;
    const stop = form.querySelector('[data-stop]');
    form.addEventListener('submit', async event => {
      event.preventDefault();
      const abort = new AbortController();
      stop.onclick = () => abort.abort();
      stop.hidden = false;
      await send(form, abort.signal);
      stop.hidden = true;
    });
  }
}

showSamples();
startSearch();
startForms();
startCredential();

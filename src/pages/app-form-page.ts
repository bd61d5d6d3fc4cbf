// Renders the page of an app: its form, the result of a run, examples, earlier results and the gallery.
import { readFileSync } from 'node:fs';
import { groupConsecutive } from '../graph/consecutive.ts';
import { JsonText, stringifyJson } from '../lib/json-text.ts';
import { createAsset } from './asset.ts';
import { renderDocument } from './document.ts';
import { type Html, html, toSafeUrl, trustMarkup } from './html.ts';

export interface FormField {
  readonly key: string;
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly group?: string;
  readonly control: 'text' | 'textarea' | 'slider' | 'choice' | 'media' | 'switch';
  /** `number`, `list`, `image` and so on. */
  readonly kind: string;
  readonly min?: number;
  readonly max?: number;
  readonly choices: readonly string[];
  readonly maxLength: number;
  readonly isRequired: boolean;
  /** Whether a run without this input uses the value that the workflow has. */
  readonly hasOwnValue: boolean;
  /** The text, or the id of the media file. */
  readonly value: string;
  /** The URL of the file. */
  readonly url?: string | undefined;
  /** A message about an invalid value. */
  readonly error?: string | undefined;
}

export interface ShownItem {
  readonly type: string;
  readonly url?: string;
  readonly posterUrl?: string;
  readonly text?: string;
  readonly value?: unknown;
  readonly truncated?: true;
}

export interface ShownResult {
  readonly label: string;
  readonly hasCaption: boolean;
  readonly items: readonly ShownItem[];
}

export interface ShownRun {
  readonly runId: string;
  readonly status: string;
  readonly progress: number;
  readonly results: readonly ShownResult[];
  readonly error: string | null;
  /** When the link stops working. null if it works permanently. */
  readonly expiresAt: string | null;
  /** Whether the visitor started the run. */
  readonly isOwn: boolean;
  readonly inGallery: boolean;
}

/** A small view of the result of another run or of an example. */
export interface Preview {
  readonly href: string;
  readonly title: string;
  readonly items: readonly ShownItem[];
  /** The values with which an example fills the form, as JSON text. */
  readonly values?: string;
}

export interface AppFormPage {
  readonly slug: string;
  readonly title: string;
  readonly description: string | null;
  readonly fields: readonly FormField[];
  readonly examples: readonly Preview[];
  readonly history: readonly Preview[];
  readonly gallery: readonly Preview[];
  /** Results of all visitors, for editors of the workflow who can pick them for the gallery. */
  readonly visitorResults: readonly Preview[];
  readonly canPick: boolean;
  readonly run: ShownRun | undefined;
  /** The results of the example whose values are in the form. */
  readonly exampleResults: readonly ShownResult[] | undefined;
  /** Why the last request was refused. */
  readonly error: string | undefined;
  /** Sentences about limits and money. */
  readonly notes: readonly string[];
  /** Whether the visitor's workspace pays. */
  readonly asksPrice: boolean;
  /** What it would pay; undefined if nobody knows yet. */
  readonly price: number | undefined;
  readonly access: 'open' | 'proof' | 'sign in';
  readonly isOutOfOrder: boolean;
  /** The visitor's token, if another page embeds the app. The page's requests send it. */
  readonly token: string | undefined;
  readonly drawing: string | undefined;
  readonly canDuplicate: boolean;
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const SCRIPT = createAsset('/pages/app', 'js', read('app/browser.js'));
const SOLVER = createAsset('/pages/app-solver', 'js', read('app/solver.js'));

/** The font of the web application, in the alphabets and weights that pages of apps need. Browsers load what a page uses. */
const ALPHABETS = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic'];
const FONT_FOLDER = new URL('.', import.meta.resolve('@fontsource/inter/unicode.json'));
const UNICODE_RANGES: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('unicode.json', FONT_FOLDER), 'utf8'),
);
const FONTS = ALPHABETS.flatMap(alphabet =>
  [400, 600].map(weight => ({
    alphabet,
    weight,
    asset: createAsset(
      `/pages/inter-${alphabet}-${weight}`,
      'woff2',
      readFileSync(new URL(`files/inter-${alphabet}-${weight}-normal.woff2`, FONT_FOLDER)),
    ),
  })),
);
const FONT_FACES = FONTS.map(
  ({ alphabet, weight, asset }) =>
    `@font-face{font-family:Inter;font-weight:${weight};font-display:swap;src:url(${asset.path}) format("woff2");unicode-range:${UNICODE_RANGES[alphabet]}}`,
);
const STYLE = createAsset('/pages/app', 'css', FONT_FACES.join('') + read('app/style.css'));
export const APP_ASSETS = [SCRIPT, SOLVER, STYLE, ...FONTS.map(({ asset }) => asset)];

const isActive = ({ status }: ShownRun): boolean => status === 'QUEUED' || status === 'RUNNING';

/** Renders the page, and excludes it from search engines. */
export function renderAppFormPage(page: AppFormPage): string {
  const { title, description, run, token } = page;
  // A visitor who follows a link to somebody else's result sees the result first.
  const isShared = run?.isOwn === false;
  return renderDocument({
    title,
    description: description ?? title,
    canonical: undefined,
    frame: 'app',
    head: html`<link rel="stylesheet" href="${STYLE.path}"><script src="${SCRIPT.path}" defer></script>${
      run !== undefined && isActive(run)
        ? html`<noscript><meta http-equiv="refresh" content="3"></noscript>`
        : undefined
    }`,
    main: html`<div class="app${token === undefined ? '' : ' embedded'}" data-slug="${page.slug}" data-solver="${SOLVER.path}" data-access="${page.access}" data-token="${token ?? ''}">
<header class="app-head"><h1 dir="auto">${title}</h1>${
      description === null ? undefined : html`<p class="lead pre" dir="auto">${description}</p>`
    }</header>
<div class="app-body">${isShared ? [renderRun(page), renderForm(page)] : [renderForm(page), renderRun(page)]}</div>
${renderPreviews('Examples', 'examples', page.examples)}
${renderPreviews('Your results', 'history', page.history)}
${renderPreviews('Gallery', 'gallery', page.gallery)}
${renderPreviews('Results of visitors', 'visitors', page.visitorResults, 'Only editors of the workflow see these. Open one to add it to the gallery.')}
${
  page.drawing === undefined
    ? undefined
    : html`<section class="app-more"><h2>How it works</h2><div class="flow" role="region" aria-label="Workflow diagram" tabindex="0">${trustMarkup(page.drawing)}</div></section>`
}
${
  page.canDuplicate
    ? html`<form class="app-more" method="post" action="/a/${page.slug}/duplicate"><button class="button quiet">Duplicate this workflow</button></form>`
    : undefined
}</div>`,
  });
}

/** Renders the page for a visitor whose token was refused, in the frame of the page that embeds the app. */
export function renderRefusedVisitorPage(slug: string, message: string): string {
  return renderDocument({
    title: 'No access',
    description: message,
    canonical: undefined,
    frame: 'app',
    head: html`<link rel="stylesheet" href="${STYLE.path}">`,
    main: html`<div class="app embedded"><header class="app-head"><h1>No access</h1><p class="lead">${message}</p></header><p class="app-more"><a class="button" href="/a/${slug}" target="_blank" rel="noopener">Open the app in a new tab</a></p></div>`,
  });
}

/** Returns the query that passes the token of a visitor on, or an empty string. */
export const toVisitorQuery = (token: string | undefined): string =>
  token === undefined ? '' : `?visitor=${encodeURIComponent(token)}`;

function renderForm(page: AppFormPage): Html {
  const { fields, error, access, isOutOfOrder, slug, token } = page;
  const canRun = access !== 'sign in' && !isOutOfOrder;
  return html`<form class="app-form" method="post" action="/a/${slug}${toVisitorQuery(token)}" enctype="multipart/form-data" novalidate aria-label="${page.title}"${page.asksPrice ? html` data-asks-price` : undefined}>
<div class="app-error" role="alert" data-error>${
    isOutOfOrder
      ? html`<p>This app is out of order. Its owner has been notified. Try again later.</p>`
      : error === undefined
        ? undefined
        : html`<p>${error}</p>`
  }</div>
${renderGroups(fields)}
<input type="hidden" name="maxCredits" value="${page.price ?? ''}">
<p class="app-price" data-price aria-live="polite">${page.price === undefined ? undefined : describePrice(page.price)}</p>
${
  access === 'proof'
    ? html`<noscript><p class="app-note">Allow JavaScript for this page, or <a href="/sign-in?next=${encodeURIComponent(`/a/${slug}`)}">sign in</a>, to run this app.</p></noscript>`
    : undefined
}
${
  access === 'sign in'
    ? html`<p><a class="button" href="/sign-in?next=${encodeURIComponent(`/a/${slug}`)}">Sign in to run</a></p>`
    : html`<button class="button" data-run${canRun ? undefined : html` disabled`}>${page.run?.isOwn === true ? 'Run again' : 'Run'}</button>`
}
<div data-notes>${page.notes.map(note => html`<p class="app-note">${note}</p>`)}</div>
</form>`;
}

const describePrice = (credits: number): string =>
  `This run costs at most ${credits} ${credits === 1 ? 'credit' : 'credits'}, paid by your workspace.`;

/** Puts consecutive fields of a group into one fieldset. */
function renderGroups(fields: readonly FormField[]): readonly Html[] {
  return groupConsecutive(fields, ({ group }) => group).map(group =>
    group[0]?.group === undefined
      ? html`${group.map(renderField)}`
      : html`<fieldset><legend>${group[0].group}</legend>${group.map(renderField)}</fieldset>`,
  );
}

function renderField(field: FormField): Html {
  const { key, label, error, isRequired, control } = field;
  const help = describeField(field);
  const requiredNote = isRequired ? html` <span class="required">(required)</span>` : undefined;
  const texts = html`${help === undefined ? undefined : html`<p class="help" id="${key}-help" dir="auto">${help}${renderOwnFileNote(field)}</p>`}<p class="error" id="${key}-error">${error}</p>`;
  if (control === 'switch')
    return html`<div class="field switch"><label><input type="checkbox" name="${key}" value="true"${field.value === 'true' ? html` checked` : undefined}${renderAriaAttributes(field)}> <span dir="auto">${label}</span></label>${texts}</div>`;
  return html`<div class="field ${control}"><label for="${key}"><span dir="auto">${label}</span>${requiredNote}</label>${renderControl(field)}${texts}</div>`;
}

/** Returns the help text, and what happens if the field stays empty. The note of a media field is apart. */
function describeField({ help, hasOwnValue, control }: FormField): string | undefined {
  if (!hasOwnValue) return help;
  if (control === 'media') return help ?? '';
  const note = 'If you leave this empty, the app uses its own value.';
  return help === undefined ? note : `${help} ${note}`;
}

/** The script hides the note while a file of the visitor is chosen. */
function renderOwnFileNote({ hasOwnValue, control, value, url }: FormField): Html | undefined {
  if (!hasOwnValue || control !== 'media') return undefined;
  const file = url === undefined || value !== '' ? 'its own' : 'this one';
  return html`<span data-own${value === '' ? undefined : html` hidden`}> Without a file of yours, the app uses ${file}.</span>`;
}

function renderAriaAttributes(field: FormField): Html {
  const { key, error, isRequired, control } = field;
  const hasHelp = describeField(field) !== undefined;
  const ids = [...(hasHelp ? [`${key}-help`] : []), `${key}-error`].join(' ');
  return html` aria-describedby="${ids}"${error === undefined ? undefined : html` aria-invalid="true"`}${
    isRequired && control !== 'switch' ? html` aria-required="true"` : undefined
  }`;
}

const FILE_TYPES: Readonly<Record<string, string>> = { image: 'image/*', video: 'video/*', audio: 'audio/*' };

function renderControl(field: FormField): Html {
  const { key, control, value, placeholder, kind, min, max, choices, maxLength } = field;
  const aria = renderAriaAttributes(field);
  const hint = placeholder === undefined ? undefined : html` placeholder="${placeholder}"`;
  if (control === 'choice')
    return html`<select id="${key}" name="${key}"${aria}>${choices.map(
      choice => html`<option${choice === value ? html` selected` : undefined}>${choice}</option>`,
    )}</select>`;
  if (control === 'slider')
    return html`<div class="range"><input id="${key}" name="${key}" type="range" min="${min}" max="${max}" step="any" value="${value}"${aria}><output for="${key}">${value}</output></div>`;
  if (control === 'media') return renderFileControl(field, aria);
  // Browsers count an emoji as two characters. The service counts it as one, and refuses longer texts.
  if (control === 'textarea')
    return html`<textarea id="${key}" name="${key}" rows="${kind === 'list' ? 5 : 4}"${kind === 'list' ? undefined : html` maxlength="${2 * maxLength}"`} dir="auto"${hint}${aria} data-kind="${kind}">${value}</textarea>`;
  return kind === 'number'
    ? html`<input id="${key}" name="${key}" type="number" step="any"${min === undefined ? undefined : html` min="${min}"`}${max === undefined ? undefined : html` max="${max}"`} value="${value}"${hint}${aria}>`
    : html`<input id="${key}" name="${key}" type="text" maxlength="${2 * maxLength}" dir="auto" value="${value}"${hint}${aria}>`;
}

/** Browsers cannot name a file that was sent before, and would say that none is chosen: `data-kept` hides this text. */
function renderFileControl({ key, value, kind, url }: FormField, aria: Html): Html {
  const isKept = value !== '';
  const show = (label: string) =>
    url === undefined ? undefined : renderItem({ type: kind.toUpperCase(), url }, label);
  return html`<input type="hidden" name="${key}" value="${value}"><input id="${key}" name="${key}" type="file" accept="${FILE_TYPES[kind]}" data-kind="${kind}"${isKept ? html` data-kept` : undefined}${aria}><div class="chosen" data-chosen>${
    isKept ? show('The chosen file') : undefined
  }</div>${isKept || url === undefined ? undefined : html`<div class="chosen" data-own>${show('The file of the app')}</div>`}`;
}

const STATUS_TEXTS: Readonly<Record<string, string>> = {
  QUEUED: 'Waiting to start…',
  RUNNING: 'Running…',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CANCELLED: 'Canceled',
};

function renderRun({ run, slug, token, examples, exampleResults, canPick }: AppFormPage): Html {
  const results = run?.results ?? exampleResults ?? [];
  const hasNoRun = run === undefined;
  return html`<section class="app-result" aria-labelledby="app-result" data-result data-run-id="${run?.runId ?? ''}" data-status="${run?.status ?? ''}">
<div class="app-status"><h2 id="app-result" tabindex="-1">Result</h2><p role="status" data-status-text>${hasNoRun ? exampleResults && 'Example' : STATUS_TEXTS[run.status]}</p></div>
${run !== undefined && isActive(run) ? html`<progress max="1" value="${run.progress}" aria-label="Progress"></progress>` : undefined}
${run?.error === null || hasNoRun ? undefined : html`<p class="app-failed">${run.error}</p>`}
<div class="app-outputs">${results.map(
    ({ label, hasCaption, items }) =>
      html`<figure class="output">${hasCaption ? html`<figcaption dir="auto">${label}</figcaption>` : undefined}<div class="items${items.length > 1 ? ' many' : ''}">${items.map((item, index) => renderOutput(item, items.length > 1 ? `${label} ${index + 1}` : label))}</div></figure>`,
  )}${
    hasNoRun && results.length === 0
      ? html`<p class="app-empty">${examples.length > 0 ? 'Fill in the form and run it, or start from an example below.' : 'Fill in the form and run it. The result appears here.'}</p>`
      : undefined
  }</div>
${
  hasNoRun
    ? undefined
    : html`<div class="app-actions">${
        run.isOwn && isActive(run)
          ? html`<form method="post" action="/a/${slug}/runs/${run.runId}/cancel${toVisitorQuery(token)}" data-cancel><button class="button quiet">Cancel</button></form>`
          : undefined
      }${
        isActive(run)
          ? undefined
          : html`<a class="button quiet" href="/a/${slug}/runs/${run.runId}" data-link>Link to this result</a>`
      }${canPick && run.status === 'COMPLETED' ? renderPick(slug, run) : undefined}</div>${
        isActive(run) || run.expiresAt === null
          ? undefined
          : html`<p class="app-note">The link works until <time datetime="${run.expiresAt}">${formatTime(run.expiresAt)}</time>.</p>`
      }`
}
</section>`;
}

const renderPick = (slug: string, { runId, inGallery }: ShownRun): Html =>
  html`<form method="post" action="/a/${slug}/runs/${runId}/gallery?add=${String(!inGallery)}"><button class="button quiet">${
    inGallery ? 'Remove from gallery' : 'Add to gallery'
  }</button></form>`;

export const formatTime = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

function renderOutput(item: ShownItem, label: string): Html {
  // The script copies and saves what is shown.
  if (item.url === undefined)
    return html`<div class="item"><div data-text data-name="${label}.${item.text === undefined ? 'json' : 'txt'}">${renderItem(item, label)}</div><p class="by-script"><button type="button" class="download" data-copy>Copy<span class="hidden"> ${label}</span></button><button type="button" class="download" data-save>Download<span class="hidden"> ${label}</span></button></p>${item.truncated === true ? html`<p class="app-note">This page shows only the start of the result.</p>` : undefined}</div>`;
  return html`<div class="item">${renderItem(item, label)}<a class="download" href="${toSafeUrl(item.url, 'media')}" download>Download<span class="hidden"> ${label}</span></a></div>`;
}

/** Renders a value at full size. */
function renderItem({ type, url, posterUrl, text, value }: ShownItem, label: string): Html {
  if (url !== undefined && type === 'IMAGE')
    return html`<img src="${toSafeUrl(url, 'media')}" alt="${label}">`;
  if (url !== undefined && type === 'VIDEO')
    return html`<video src="${toSafeUrl(url, 'media')}"${posterUrl === undefined ? undefined : html` poster="${toSafeUrl(posterUrl, 'media')}"`} controls playsinline preload="metadata" aria-label="${label}"></video>`;
  if (url !== undefined)
    return html`<audio src="${toSafeUrl(url, 'media')}" controls preload="metadata" aria-label="${label}"></audio>`;
  if (text !== undefined) return html`<div class="text pre" dir="auto">${text}</div>`;
  return html`<pre tabindex="0"><code>${toCode(value)}</code></pre>`;
}

/** Longer JSON is shown as it was recorded, because it takes long to format. */
const MAX_FORMATTED = 64_000;

function toCode(value: unknown): string {
  if (value instanceof JsonText && value.text.length > MAX_FORMATTED) return value.text;
  if (typeof value === 'string' && value.length > MAX_FORMATTED) return value;
  return JSON.stringify(value, null, 2);
}

const MAX_PREVIEW_TEXT = 160;

function renderPreviews(
  title: string,
  name: string,
  previews: readonly Preview[],
  note?: string,
): Html | undefined {
  if (previews.length === 0) return undefined;
  return html`<section class="app-more" aria-labelledby="app-${name}"><h2 id="app-${name}">${title}</h2>${note === undefined ? undefined : html`<p class="app-note">${note}</p>`}<ul class="previews" data-${name}>${previews.map(
    ({ href, title: name, items, values }) =>
      html`<li><a href="${href}"${values === undefined ? undefined : html` data-values="${values}"`}><span class="thumb">${renderThumb(items[0])}</span><span class="hidden">${name}</span></a></li>`,
  )}</ul></section>`;
}

/** Renders a frame of a video: its still, or the frame at one second, because the first frame is often blank. */
const renderVideoThumb = (url: string, posterUrl: string | undefined): Html =>
  posterUrl === undefined
    ? html`<video src="${toSafeUrl(url, 'media')}#t=1" muted playsinline preload="metadata" tabindex="-1"></video>`
    : html`<img src="${toSafeUrl(posterUrl, 'media')}" alt="" loading="lazy">`;

function renderThumb(item: ShownItem | undefined): Html {
  if (item === undefined) return html`<span class="words">No result yet</span>`;
  if (item.url !== undefined && item.type === 'IMAGE')
    return html`<img src="${toSafeUrl(item.url, 'media')}" alt="" loading="lazy">`;
  if (item.url !== undefined && item.type === 'VIDEO') return renderVideoThumb(item.url, item.posterUrl);
  if (item.url !== undefined) return html`<span class="words">Audio</span>`;
  const text = item.text ?? stringifyJson(item.value ?? '');
  return html`<span class="words" dir="auto">${text.slice(0, MAX_PREVIEW_TEXT)}</span>`;
}

// Renders a mail as text and as HTML from one description. The HTML loads nothing from a server, and follows the dark mode of
// the recipient's program.
import { escapeXml } from '../../graph/draw/text.ts';
import type { MailContent } from '../../store/mails.ts';

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface RenderOptions {
  readonly baseUrl: string;
  /** Replaces `{secret}` in the links. */
  readonly secret: string | undefined;
  /** The content ID of the attached picture; undefined if there is none. */
  readonly pictureCid: string | undefined;
}

const MAX_SUBJECT_CHARS = 200;

export function renderMail(
  content: MailContent,
  { baseUrl, secret, pictureCid }: RenderOptions,
): RenderedMail {
  const { paragraphs, details = [], buttons = [], picture, reason, settingsPath } = content;
  const { settingsLabel = 'Choose which mails you get' } = content;
  const toUrl = (path: string): string => baseUrl + path.replace('{secret}', () => secret ?? '');
  const host = new URL(baseUrl).host;
  const links = buttons.map(({ label, path }) => ({ label, url: toUrl(path) }));
  const settings = settingsPath === undefined ? undefined : `${settingsLabel}: ${toUrl(settingsPath)}`;
  const why = `You get this mail from ${host} because ${reason}.`;
  const text = [
    ...paragraphs,
    details.map(([label, value]) => `${label}: ${value}`).join('\n'),
    ...links.map(({ label, url }) => `${label}:\n${url}`),
    `-- \n${why}${settings === undefined ? '' : `\n${settings}`}`,
  ].filter(part => part !== '');
  const html = [
    `<h1>${escapeXml(content.subject)}</h1>`,
    ...paragraphs.map(paragraph => `<p>${escapeXml(paragraph)}</p>`),
    details.length === 0
      ? ''
      : `<table role="presentation" class="details">${details.map(([label, value]) => `<tr><td class="label">${escapeXml(label)}</td><td>${escapeXml(value)}</td></tr>`).join('')}</table>`,
    picture === undefined || pictureCid === undefined
      ? ''
      : `<p><img class="picture" src="cid:${escapeXml(pictureCid)}" alt="${escapeXml(picture.alt)}"></p>`,
    links.length === 0
      ? ''
      : `<p class="buttons">${links.map(({ label, url }, index) => `<a class="${index === 0 ? 'main' : 'other'}" href="${escapeXml(url)}">${escapeXml(label)}</a>`).join(' ')}</p>`,
  ].join('\n');
  const footer = `<p>${escapeXml(why)}${settingsPath === undefined ? '' : ` <a href="${escapeXml(toUrl(settingsPath))}">${escapeXml(settingsLabel)}</a>`}</p>`;
  return {
    subject: toLine(content.subject).slice(0, MAX_SUBJECT_CHARS),
    text: `${text.join('\n\n')}\n`,
    html: toPage({ title: content.subject, body: html, footer }),
  };
}

/** A header must be one line. */
const toLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

const STYLE = `
body { margin: 0; padding: 24px 16px; background: #f4f4f5; color: #18181b; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
.card { max-width: 560px; margin: 0 auto; padding: 28px 32px; background: #ffffff; border: 1px solid #e4e4e7; border-radius: 12px; overflow-wrap: anywhere; }
.brand { margin: 0 0 20px; font-size: 14px; font-weight: 600; color: #52525b; }
h1 { margin: 0 0 12px; font-size: 21px; line-height: 1.3; }
p { margin: 0 0 16px; }
.details { margin: 0 0 16px; border-collapse: collapse; font-size: 15px; }
.details td { padding: 3px 16px 3px 0; vertical-align: top; }
.label { color: #52525b; white-space: nowrap; }
.picture { display: block; max-width: 100%; height: auto; border-radius: 8px; }
.buttons { margin: 24px 0 8px; }
.buttons a { display: inline-block; margin: 0 8px 8px 0; padding: 10px 18px; border-radius: 8px; font-weight: 600; text-decoration: none; }
.buttons a.main { background: #4f46e5; color: #ffffff; border: 1px solid #4f46e5; }
.buttons a.other { background: #ffffff; color: #18181b; border: 1px solid #a1a1aa; }
.footer { max-width: 560px; margin: 16px auto 0; padding: 0 32px; font-size: 13px; color: #52525b; overflow-wrap: anywhere; }
.footer a { color: #52525b; }
@media (max-width: 480px) { body { padding: 12px 8px; } .card { padding: 20px; } .footer { padding: 0 20px; } }
@media (prefers-color-scheme: dark) {
  body { background: #18181b; color: #f4f4f5; }
  .card { background: #27272a; border-color: #3f3f46; }
  .brand, .label, .footer, .footer a { color: #d4d4d8; }
  .buttons a.main { background: #818cf8; border-color: #818cf8; color: #18181b; }
  .buttons a.other { background: #27272a; color: #f4f4f5; border-color: #71717a; }
}`;

const toPage = ({ title, body, footer }: Readonly<Record<'title' | 'body' | 'footer', string>>): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeXml(title)}</title>
<style>${STYLE}
</style>
</head>
<body>
<div class="card">
<p class="brand">Graphwright</p>
${body}
</div>
<div class="footer">${footer}</div>
</body>
</html>
`;

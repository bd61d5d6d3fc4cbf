// Renders the content blocks of a page, with one renderer per block type.
import type { ContentBlock } from '../services/content/content.schema.ts';
import { type Html, html, toSafeUrl, trustMarkup } from './html.ts';

type ImageBlock = Omit<Extract<ContentBlock, { type: 'image' }>, 'type'>;

type Renderers = {
  readonly [T in ContentBlock['type']]: (block: Extract<ContentBlock, { type: T }>, markup: string) => Html;
};

const RENDERERS: Renderers = {
  markdown: (_, markup) => html`<div class="block prose" dir="auto">${trustMarkup(markup)}</div>`,
  image: block => html`<figure class="block">${renderImage(block)}${renderCaption(block.caption)}</figure>`,
  video: block =>
    html`<figure class="block"><video controls preload="metadata" src="${toSafeUrl(block.url, 'media')}" aria-label="${block.caption ?? 'Video'}"${
      block.poster === undefined ? undefined : html` poster="${toSafeUrl(block.poster, 'media')}"`
    }></video>${renderCaption(block.caption)}</figure>`,
  quote: ({ text, author, role }) =>
    html`<figure class="block quote"><blockquote><p class="pre">${text}</p></blockquote>${renderCaption(
      [author, role].filter(part => part !== undefined).join(', '),
    )}</figure>`,
  code: ({ code, language, caption: text }) =>
    html`<figure class="block code"><pre tabindex="0"><code${
      language === undefined ? undefined : html` class="language-${language}"`
    }>${code}</code></pre>${renderCaption(text)}</figure>`,
  gallery: ({ images, caption: text }) =>
    html`<figure class="block"><div class="gallery">${images.map(
      image => html`<figure>${renderImage(image)}${renderCaption(image.caption)}</figure>`,
    )}</div>${renderCaption(text)}</figure>`,
  cta: ({ title, text, buttonCopy = 'Start Creating', link = '/workflows' }) =>
    html`<section class="block cta"><h2>${title}</h2>${text === undefined ? undefined : html`<p class="pre">${text}</p>`}<a class="button" href="${toSafeUrl(link)}">${buttonCopy}</a></section>`,
};

/** Renders the blocks. `rendered` is the markup of the markdown blocks, in order. */
export function renderBlocks(blocks: readonly ContentBlock[], rendered: readonly string[]): Html[] {
  let markdownIndex = 0;
  return blocks.map(block => {
    const markup = block.type === 'markdown' ? (rendered[markdownIndex++] ?? '') : '';
    // TypeScript cannot know that the renderer accepts this type of block.
    return (RENDERERS[block.type] as (block: ContentBlock, markup: string) => Html)(block, markup);
  });
}

function renderImage({ url, alt = '' }: ImageBlock): Html {
  return html`<img src="${toSafeUrl(url, 'media')}" alt="${alt}" loading="lazy">`;
}

function renderCaption(text: string | undefined): Html | undefined {
  return text === undefined || text === '' ? undefined : html`<figcaption>${text}</figcaption>`;
}

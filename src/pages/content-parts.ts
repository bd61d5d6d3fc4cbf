// Renders the parts of content pages. A part without content renders nothing.
import type { PublishedPage } from '../services/content/present-content.ts';
import { type Html, html, toSafeUrl } from './html.ts';

const EMOJI = /^\p{RGI_Emoji}$/v;

export function renderQuickAnswer(answer: PublishedPage['quickAnswer']): Html | undefined {
  if (answer === null) return undefined;
  const { question, answer: text, bullets = [], variant = 'default' } = answer;
  return html`<section class="part answer ${variant}" dir="auto"><h2>${question}</h2><p class="pre">${text}</p>${
    bullets.length === 0 ? undefined : html`<ul>${bullets.map(bullet => html`<li>${bullet}</li>`)}</ul>`
  }</section>`;
}

export function renderValueProps(props: PublishedPage['valueProps']): Html | undefined {
  if (props.length === 0) return undefined;
  return html`<section class="part"><h2>What you get</h2><ul class="grid">${props.map(
    ({ title, description, icon, image }) =>
      html`<li>${renderImage(image)}${renderIcon(icon)}<h3>${title}</h3><p class="pre">${description}</p></li>`,
  )}</ul></section>`;
}

/** Renders an emoji or the image at a URL. Other values, such as names of icons, render nothing. */
function renderIcon(icon: string | undefined): Html | undefined {
  if (icon === undefined) return undefined;
  if (EMOJI.test(icon)) return html`<span class="icon" aria-hidden="true">${icon}</span>`;
  const url = toSafeUrl(icon, 'media');
  return url === '#' ? undefined : html`<img class="icon" src="${url}" alt="" loading="lazy">`;
}

export function renderHowToSteps(steps: PublishedPage['howToSteps']): Html | undefined {
  if (steps.length === 0) return undefined;
  return html`<section class="part side"><h2>Step by step</h2><ol class="steps">${steps.map(
    ({ title, description, image }) =>
      html`<li><h3>${title}</h3><p class="pre">${description}</p>${renderImage(image)}</li>`,
  )}</ol></section>`;
}

function renderImage(url: string | undefined): Html | undefined {
  return url === undefined ? undefined : html`<img src="${toSafeUrl(url, 'media')}" alt="" loading="lazy">`;
}

export function renderFaq(faq: PublishedPage['faqSchema']): Html | undefined {
  if (faq.length === 0) return undefined;
  return html`<section class="part side"><h2>Frequently asked questions</h2><div class="faq">${faq.map(
    ({ question, answer }) =>
      html`<details><summary><h3>${question}</h3></summary><p class="pre">${answer}</p></details>`,
  )}</div></section>`;
}

export function renderCrossLinks(links: PublishedPage['crossLinks']): Html | undefined {
  if (links.length === 0) return undefined;
  return html`<section class="part"><h2>Keep exploring</h2><ul class="grid">${links.map(
    ({ url, anchorText, description }) =>
      html`<li><a href="${toSafeUrl(url)}">${anchorText}</a>${
        description === undefined ? undefined : html`<p class="pre">${description}</p>`
      }</li>`,
  )}</ul></section>`;
}

export function renderCallToAction(page: PublishedPage): Html | undefined {
  const { c2aTitle, c2aSubtitle, c2aLink, c2aButtonCopy } = page;
  if (c2aTitle === null) return undefined;
  return html`<section class="part cta" dir="auto"><h2>${c2aTitle}</h2>${
    c2aSubtitle === null ? undefined : html`<p class="pre">${c2aSubtitle}</p>`
  }<a class="button" href="${toSafeUrl(c2aLink)}">${c2aButtonCopy}</a></section>`;
}

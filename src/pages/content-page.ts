// Renders a content page as a complete document, with its parts in the order of its type.
import type { PublishedPage } from '../services/content/present-content.ts';
import { renderBlocks } from './blocks.ts';
import { formatDate, renderCards } from './cards.ts';
import {
  renderCallToAction,
  renderCrossLinks,
  renderFaq,
  renderHowToSteps,
  renderQuickAnswer,
  renderValueProps,
} from './content-parts.ts';
import { renderDocument, toAbsoluteUrl } from './document.ts';
import { type Html, html, toSafeUrl, trustMarkup } from './html.ts';
import { listContentData, renderJsonLd } from './json-ld.ts';
import { getPagePath, SECTIONS } from './sections.ts';
import type { DrawnWorkflow, Site } from './site.ts';
import { getWorkflowPath, renderPreview } from './workflow-drawing.ts';

/** Renders the page. `workflow` is the public workflow to preview, if there is one. */
export function renderContentPage(
  page: PublishedPage,
  workflow: DrawnWorkflow | undefined,
  site: Site,
): string {
  const { baseUrl } = site;
  const image = page.ogImage ?? page.heroImage;
  return renderDocument({
    title: page.title,
    description: page.meta_description ?? page.subtitle,
    canonical: page.canonicalUrl ?? baseUrl + getPagePath(page),
    ogType: page.type === 'ARTICLE' ? 'article' : 'website',
    image: image === null ? undefined : toAbsoluteUrl(baseUrl, image),
    keywords: page.seoKeywords,
    head: [
      page.type === 'ARTICLE' ? renderArticleTimes(page) : undefined,
      renderJsonLd(listContentData(page, baseUrl)),
    ],
    section: SECTIONS[page.parentCategory].path,
    main: page.type === 'ARTICLE' ? renderArticle(page, workflow, site) : renderProduct(page, workflow, site),
  });
}

/** Renders a feature or a model. The preview goes between the hero and the steps. */
function renderProduct(page: PublishedPage, workflow: DrawnWorkflow | undefined, site: Site): Html {
  const [body, ...blocks] = page.rendered;
  const image =
    page.heroImage === null
      ? undefined
      : html`<img src="${toSafeUrl(page.heroImage, 'media')}" alt="" fetchpriority="high">`;
  return html`<div class="wrap">
<div class="hero${image === undefined ? '' : ' split'}"><div>${renderCrumbs(page)}<h1 dir="auto">${page.title}</h1>${renderLead(page)}${renderButton(page)}</div>${image}</div>
${workflow === undefined ? undefined : renderWorkflow(workflow, site, 'The workflow behind it', 'Open workflow')}
${renderQuickAnswer(page.quickAnswer)}
${renderValueProps(page.valueProps)}
${renderHowToSteps(page.howToSteps)}
${body === undefined || body === '' ? undefined : html`<div class="part prose" dir="auto">${trustMarkup(body)}</div>`}
${renderBlocks(page.contentBlocks, blocks)}
${renderFaq(page.faqSchema)}
${renderCrossLinks(page.crossLinks)}
${renderRelated('More like this', page)}
${renderCallToAction(page)}
</div>`;
}

/** Renders an article. The preview goes between the body and the related posts. */
function renderArticle(page: PublishedPage, workflow: DrawnWorkflow | undefined, site: Site): Html {
  const [body = '', ...blocks] = page.rendered;
  return html`<article><div class="post"><div class="hero">${renderCrumbs(page)}<h1 dir="auto">${page.title}</h1>${renderLead(page)}<p class="byline">${page.author} · <time datetime="${page.publishedAt}">${formatDate(page.publishedAt)}</time> · ${estimateReadingMinutes(page.rendered)} min read</p></div></div>
${page.heroImage === null ? undefined : html`<div class="wrap cover"><img src="${toSafeUrl(page.heroImage, 'media')}" alt="" fetchpriority="high"></div>`}
<div class="post">
${renderQuickAnswer(page.quickAnswer)}
${body === '' ? undefined : html`<div class="prose" dir="auto">${trustMarkup(body)}</div>`}
${renderBlocks(page.contentBlocks, blocks)}
${renderValueProps(page.valueProps)}
${renderHowToSteps(page.howToSteps)}
</div></article>
<div class="wrap">
${workflow === undefined ? undefined : renderWorkflow(workflow, site, 'Try this workflow', 'Open workflow')}
${renderFaq(page.faqSchema)}
${renderCrossLinks(page.crossLinks)}
${renderRelated('Related posts', page)}
${renderCallToAction(page)}
</div>`;
}

function renderCrumbs(page: PublishedPage): Html {
  const { path, title } = SECTIONS[page.parentCategory];
  const subcategory = page.subcategory === null ? undefined : html`<li>${page.subcategory}</li>`;
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol><li><a href="${path}">${title}</a></li>${subcategory}</ol></nav>`;
}

/** Omits a subtitle that only repeats the title. */
function renderLead({ title, subtitle }: PublishedPage): Html | undefined {
  return subtitle === title ? undefined : html`<p class="lead pre" dir="auto">${subtitle}</p>`;
}

function renderButton({ c2aLink, c2aButtonCopy }: PublishedPage): Html {
  return html`<a class="button" href="${toSafeUrl(c2aLink)}">${c2aButtonCopy}</a>`;
}

function renderWorkflow(workflow: DrawnWorkflow, site: Site, heading: string, button: string): Html {
  return html`<section class="part"><h2>${heading}</h2>${renderPreview(workflow, site)}<a class="button quiet" href="${getWorkflowPath(workflow)}">${button}</a></section>`;
}

function renderRelated(heading: string, { related }: PublishedPage): Html | undefined {
  if (related.length === 0) return undefined;
  return html`<section class="part"><h2>${heading}</h2>${renderCards(related, 'h3')}</section>`;
}

function renderArticleTimes({ publishedAt, updatedAt }: PublishedPage): Html {
  return html`<meta property="article:published_time" content="${publishedAt}"><meta property="article:modified_time" content="${updatedAt}">`;
}

const CHARACTERS_PER_MINUTE = 1300;

function estimateReadingMinutes(rendered: readonly string[]): number {
  const length = rendered.reduce((sum, part) => sum + part.length, 0);
  return Math.max(1, Math.round(length / CHARACTERS_PER_MINUTE));
}

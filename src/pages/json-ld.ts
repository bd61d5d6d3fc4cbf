// Renders the structured data of a page (schema.org) as JSON-LD in a script element that no text can close.
import type { PublishedPage } from '../services/content/present-content.ts';
import { absolute, SITE_NAME } from './document.ts';
import { type Html, html, trusted } from './html.ts';
import { pagePath, SECTIONS } from './sections.ts';

type JsonLdObject = Readonly<Record<string, unknown>>;

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

export function jsonLd(objects: readonly JsonLdObject[]): Html {
  const text = JSON.stringify({ '@context': 'https://schema.org', '@graph': objects });
  return html`<script type="application/ld+json">${trusted(
    text.replace(/[<>&\u2028\u2029]/g, found => ENTITIES[found] ?? ''),
  )}</script>`;
}

export function contentThings(page: PublishedPage, baseUrl: string): JsonLdObject[] {
  const { faqSchema, howToSteps } = page;
  const section = SECTIONS[page.parentCategory];
  return [
    page.type === 'ARTICLE' ? article(page, baseUrl) : application(page, baseUrl),
    breadcrumbs([
      [section.title, baseUrl + section.path],
      [page.title, baseUrl + pagePath(page)],
    ]),
    ...(faqSchema.length > 0 ? [questions(faqSchema)] : []),
    ...(howToSteps.length > 0 ? [steps(page, baseUrl)] : []),
  ];
}

export function breadcrumbs(trail: readonly (readonly [name: string, url: string])[]): JsonLdObject {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: trail.map(([name, item], index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item,
    })),
  };
}

function sharedMembers(page: PublishedPage, baseUrl: string): JsonLdObject {
  const image = page.ogImage ?? page.heroImage;
  return {
    url: page.canonicalUrl ?? baseUrl + pagePath(page),
    description: page.meta_description ?? page.subtitle,
    ...(image === null ? {} : { image: absolute(baseUrl, image) }),
  };
}

function article(page: PublishedPage, baseUrl: string): JsonLdObject {
  return {
    '@type': 'Article',
    headline: page.title,
    ...sharedMembers(page, baseUrl),
    author: { '@type': 'Person', name: page.author },
    publisher: { '@type': 'Organization', name: SITE_NAME, url: baseUrl },
    datePublished: page.publishedAt,
    dateModified: page.updatedAt,
    mainEntityOfPage: baseUrl + pagePath(page),
    ...(page.seoKeywords.length > 0 ? { keywords: page.seoKeywords.join(', ') } : {}),
  };
}

function application(page: PublishedPage, baseUrl: string): JsonLdObject {
  return {
    '@type': 'SoftwareApplication',
    name: page.title,
    ...sharedMembers(page, baseUrl),
    applicationCategory: 'MultimediaApplication',
    operatingSystem: 'Web',
  };
}

function questions(faq: PublishedPage['faqSchema']): JsonLdObject {
  return {
    '@type': 'FAQPage',
    mainEntity: faq.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  };
}

function steps(page: PublishedPage, baseUrl: string): JsonLdObject {
  return {
    '@type': 'HowTo',
    name: page.title,
    step: page.howToSteps.map(({ title, description, image }, index) => ({
      '@type': 'HowToStep',
      position: index + 1,
      name: title,
      text: description,
      ...(image === undefined ? {} : { image: absolute(baseUrl, image) }),
    })),
  };
}

// Renders the structured data of a page (schema.org) as JSON-LD.
import type { PublishedPage } from '../services/content/present-content.ts';
import { SITE_NAME, toAbsoluteUrl } from './document.ts';
import { embedJson, type Html } from './html.ts';
import { getPagePath, SECTIONS } from './sections.ts';

type JsonLdObject = Readonly<Record<string, unknown>>;

export function renderJsonLd(objects: readonly JsonLdObject[]): Html {
  return embedJson('application/ld+json', { '@context': 'https://schema.org', '@graph': objects });
}

export function listContentData(page: PublishedPage, baseUrl: string): JsonLdObject[] {
  const { faqSchema, howToSteps } = page;
  const section = SECTIONS[page.parentCategory];
  return [
    page.type === 'ARTICLE' ? toArticle(page, baseUrl) : toApplication(page, baseUrl),
    toBreadcrumbs([
      [section.title, baseUrl + section.path],
      [page.title, baseUrl + getPagePath(page)],
    ]),
    ...(faqSchema.length > 0 ? [toFaqPage(faqSchema)] : []),
    ...(howToSteps.length > 0 ? [toHowTo(page, baseUrl)] : []),
  ];
}

export function toBreadcrumbs(trail: readonly (readonly [name: string, url: string])[]): JsonLdObject {
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

function toSharedProperties(page: PublishedPage, baseUrl: string): JsonLdObject {
  const image = page.ogImage ?? page.heroImage;
  return {
    url: page.canonicalUrl ?? baseUrl + getPagePath(page),
    description: page.meta_description ?? page.subtitle,
    ...(image === null ? {} : { image: toAbsoluteUrl(baseUrl, image) }),
  };
}

function toArticle(page: PublishedPage, baseUrl: string): JsonLdObject {
  return {
    '@type': 'Article',
    headline: page.title,
    ...toSharedProperties(page, baseUrl),
    author: { '@type': 'Person', name: page.author },
    publisher: { '@type': 'Organization', name: SITE_NAME, url: baseUrl },
    datePublished: page.publishedAt,
    dateModified: page.updatedAt,
    mainEntityOfPage: baseUrl + getPagePath(page),
    ...(page.seoKeywords.length > 0 ? { keywords: page.seoKeywords.join(', ') } : {}),
  };
}

function toApplication(page: PublishedPage, baseUrl: string): JsonLdObject {
  return {
    '@type': 'SoftwareApplication',
    name: page.title,
    ...toSharedProperties(page, baseUrl),
    applicationCategory: 'MultimediaApplication',
    operatingSystem: 'Web',
  };
}

function toFaqPage(faq: PublishedPage['faqSchema']): JsonLdObject {
  return {
    '@type': 'FAQPage',
    mainEntity: faq.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  };
}

function toHowTo(page: PublishedPage, baseUrl: string): JsonLdObject {
  return {
    '@type': 'HowTo',
    name: page.title,
    step: page.howToSteps.map(({ title, description, image }, index) => ({
      '@type': 'HowToStep',
      position: index + 1,
      name: title,
      text: description,
      ...(image === undefined ? {} : { image: toAbsoluteUrl(baseUrl, image) }),
    })),
  };
}

// A page that says why there is no other: not found, not for you, not now.
import { renderDocument } from './document.ts';
import { html } from './html.ts';

const TITLES: Readonly<Record<number, string>> = {
  401: 'This is not public',
  403: 'This is not shared with you',
  404: 'This page does not exist',
  429: 'A moment, please',
};

export function renderMessagePage(status: number, message: string): string {
  const title = TITLES[status] ?? 'This did not work';
  return renderDocument({
    title,
    description: message,
    canonical: undefined,
    main: html`<div class="wrap"><div class="hero"><p class="crumbs">${status}</p><h1>${title}</h1><p class="lead">${message}</p><a class="button" href="/">Go to the start page</a></div></div>`,
  });
}

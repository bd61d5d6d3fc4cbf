// A page that says why there is no other: not found, not for you, not now.
import { renderDocument } from './document.ts';
import { html } from './html.ts';
import { RELOAD_PATH } from './reload-script.ts';

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

/** Asks again by itself, with the address as it is. */
export function renderOutagePage(message: string): string {
  return renderDocument({
    title: 'The service is not ready',
    description: message,
    canonical: undefined,
    head: html`<script src="${RELOAD_PATH}" defer></script>`,
    main: html`<div class="wrap"><div class="hero"><p class="crumbs">503</p><h1>The service is not ready</h1><p class="lead">${message} This page comes back by itself.</p></div></div>`,
  });
}

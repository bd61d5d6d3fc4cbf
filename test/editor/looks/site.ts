// Lists the looks of pages that the service renders: the API reference and the consent page.
import {
  buildAuthorizeUrl,
  createOAuthClient,
  makePkce,
  sendOverNetwork,
} from '../../support/oauth/clients.ts';
import type { Look } from './look.ts';

const REFERENCE = {
  start: '/docs',
  operations: '/docs/folders',
  guide: '/docs/guides/accounts',
  type: '/docs/types/Execution',
};
const CLIENT = {
  client_name: 'Claude Code <b>with a long name</b> that needs several lines',
  redirect_uris: ['http://127.0.0.1:9/callback'],
};

export const SITE_LOOKS: readonly Look[] = [
  ...Object.entries(REFERENCE).map(
    ([name, path]): Look => ({
      title: `the page ${path} of the API reference`,
      async visit({ page, check }) {
        await page.goto(path);
        await check(`reference-${name}`, () => page.locator('[data-search] input').waitFor());
      },
    }),
  ),
  {
    title: 'the question whether a program may act for the user',
    async visit({ service, page, check }) {
      const client = createOAuthClient(sendOverNetwork, service.url);
      const params = {
        client_id: await client.newClient(CLIENT),
        redirect_uri: CLIENT.redirect_uris[0] ?? '',
        code_challenge: makePkce().challenge,
      };
      await page.goto(buildAuthorizeUrl(params, service.url));
      await check('consent', () => page.getByRole('heading', { name: 'Allow Claude Code' }).waitFor());
    },
  },
];

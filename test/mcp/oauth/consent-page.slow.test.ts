// Tests the consent page in Chromium, whose policy for forms must allow the redirect to the client.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { PASSWORD } from '../../support/accounts/people.ts';
import { BROWSER_MISSING_REASON, openBrowser, type TestBrowser, VIEWS } from '../../support/browser.ts';
import { buildAuthorizeUrl, makePkce } from '../../support/oauth/clients.ts';
import { type OAuthService, startOAuthService } from '../../support/oauth/service.ts';

const NAME = 'Claude Code <b>with a long name</b> that needs several lines';

describe('the consent page', { skip: BROWSER_MISSING_REASON }, () => {
  let service: OAuthService;
  let browser: TestBrowser;
  let clientServer: Server;
  let redirect: string;
  let url: string;
  before(async () => {
    service = await startOAuthService();
    browser = await openBrowser();
    clientServer = createServer((_, res) =>
      res.setHeader('content-type', 'text/html').end('<title>Connected</title>'),
    );
    await new Promise<void>(resolve => clientServer.listen(0, '127.0.0.1', resolve));
    redirect = `http://127.0.0.1:${(clientServer.address() as AddressInfo).port}/callback`;
    const clientId = await service.client.newClient({ client_name: NAME, redirect_uris: [redirect] });
    const params = { client_id: clientId, redirect_uri: redirect, code_challenge: makePkce().challenge };
    url = buildAuthorizeUrl(params, service.origin);
  });
  after(async () => {
    clientServer.close();
    await browser.close();
    await service.test.close();
  });

  it('appears after the user has signed in, works by keyboard and redirects to the client', async () => {
    await using testPage = await browser.open(service.origin, VIEWS[2]);
    const { page } = testPage;
    await page.goto(url);
    await page.getByLabel('Email').fill(service.person.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Allow Claude Code' }).waitFor();
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 3);
    await page.getByRole('checkbox', { name: /^Run/ }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Allow' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${redirect}?*`);
    assert.ok(new URL(page.url()).searchParams.get('code'));
    assert.deepEqual(testPage.errors, []);
    const { body } = await service.person.request<{ data: { scopes: string[] }[] }>('GET', '/connections');
    assert.deepEqual(body.data[0]?.scopes, ['workflows:read', 'workflows:write']);
  });
});

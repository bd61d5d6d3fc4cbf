// Tests what a new user does first: the setup link, a template with sample results, and the card of first steps.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Settings } from '../../src/lib/settings.ts';
import { BOOTSTRAP_USER_ID } from '../../src/services/accounts/bootstrap.ts';
import { createPasswordLink } from '../../src/services/sessions/password-links.ts';
import { signInFirstUser } from '../support/accounts/first-user.ts';
import type { TestBrowser } from '../support/browser.ts';
import { plainImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { startFal } from '../support/providers/fal.ts';
import { ownAddressSettings, startTestService, type TestService } from '../support/service.ts';
import { openPages } from './dom/dom-browser.ts';

const VIEW = { width: 1440, height: 900, colorScheme: 'light' } as const;
const PERSON = { name: 'Ana', email: 'ana@example.com', password: 'correct horse battery' };

describe('the pages for a new user', () => {
  let service: TestService;
  let browser: TestBrowser;
  let cookie: string;
  /** Id of the copied template. */
  let workflowId: string;

  before(async () => {
    [service, browser] = await Promise.all([startTestService(await ownAddressSettings()), openPages()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('create the account with the setup link and show the workflows', async () => {
    const link = await createSetupLink();
    await using testPage = await browser.open(service.url);
    const { page, context } = testPage;
    await page.goto(link);
    await page.getByLabel('Name').fill(PERSON.name);
    await page.getByLabel('Email').fill(PERSON.email);
    await page.getByLabel('Password').fill(PERSON.password);
    assert.equal(new URL(page.url()).hash, '', 'the token is gone from the address');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Create your first workflow' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/workflows');
    cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`)[0] ?? '';
    assert.deepEqual(testPage.errors, []);
  });

  it('run a copied template with sample results without a provider', async () => {
    await using testPage = await browser.open(service.url, undefined, cookie);
    const { page } = testPage;
    await page.goto('/workflows');
    const card = page.getByRole('listitem').filter({ hasText: 'Make a picture' });
    await card.getByText('Sample; needs fal').waitFor();
    await card.getByRole('button', { name: 'Use template Make a picture' }).click();
    await page.waitForURL(/\/flow\//);
    await page.getByText('Free with sample results').waitFor();
    await page.getByText('Sample result', { exact: true }).first().waitFor();
    workflowId = String(new URL(page.url()).pathname.split('/').at(-1));
    const banner = page.getByRole('region', { name: 'Sample results' });
    await banner
      .getByText(
        /^Make the picture shows its sample result, because fal is not set up\. With fal, a run costs (about )?\d+ credits?\./,
      )
      .waitFor();
    assert.equal(
      await banner.getByRole('link', { name: 'Set up fal' }).getAttribute('href'),
      '/settings/providers?add=fal',
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await waitForRuns(service, workflowId, 1);
    // A changed model has no sample.
    await page
      .getByRole('group', { name: 'Make the picture', exact: true })
      .click({ position: { x: 90, y: 20 } });
    await page
      .getByRole('complementary', { name: 'Inspector' })
      .getByLabel('Seed', { exact: true })
      .fill('8');
    await banner.getByText(/^Make the picture has changed since the sample was recorded/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await banner.getByText(/shows its sample result/).waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('show the first steps until the user closes them', async () => {
    await using testPage = await browser.open(service.url, VIEW, cookie);
    const { page } = testPage;
    await page.goto('/workflows');
    const steps = page.getByRole('complementary', { name: 'First steps' });
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'First steps' }).click();
    await steps.getByText('0 of 4').waitFor();
    await page.goto(`/flow/${workflowId}`);
    await steps.getByRole('button', { name: /^Run a template/ }).click();
    await steps.getByText('1 of 4').waitFor();
    await steps.getByRole('button', { name: /^Edit a text/ }).click();
    const textField = page
      .getByRole('complementary', { name: 'Inspector' })
      .getByLabel('Text', { exact: true });
    await textField.fill('A red barn');
    await steps.getByText('2 of 4').waitFor();
    await page.keyboard.press('Escape');
    await steps.getByRole('button', { name: /^Call it from code/ }).click();
    await page.getByText('"useSample": true').waitFor();
    await page.keyboard.press('Escape');
    await steps.getByText('3 of 4').waitFor();
    await steps.getByRole('button', { name: 'Close first steps' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Free with sample results').waitFor();
    assert.equal(await steps.count(), 0);
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('menuitem', { name: 'First steps' }).click();
    await steps.getByText('3 of 4').waitFor();
    await steps.getByRole('link', { name: /^Add a provider/ }).click();
    await page.waitForURL(/\/settings\/providers/);
    assert.deepEqual(testPage.errors, []);
  });

  it('show in the palette what each kind of model makes', async () => {
    await using testPage = await browser.open(service.url, VIEW, cookie);
    const { page } = testPage;
    await page.goto(`/flow/${workflowId}`);
    await page.getByRole('toolbar', { name: 'Workflow' }).getByRole('button', { name: 'Add node' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add node' });
    await dialog.getByRole('combobox').fill('upscaler');
    await dialog.locator('img[src*="tpl_upscale"]').first().waitFor();
    await dialog.getByRole('combobox').fill('kling');
    await dialog.locator('img[src*="tpl_picture-to-video"]').first().waitFor();
    assert.deepEqual(testPage.errors, []);
  });

  it('offer a run without samples if the provider is set up', async () => {
    const picture = await plainImage(64, 36, '#336699');
    const fal = await startFal(picture);
    fal.result = {
      status: 200,
      body: { images: [{ url: `${fal.url}/files/a.png`, content_type: 'image/png' }] },
    };
    const serviceWithFal = await startTestService({
      ...(await ownAddressSettings()),
      ALLOW_PRIVATE_NETWORK: 'true',
      FAL_KEY: 'fal-key',
      FAL_BASE_URL: fal.url,
    });
    try {
      const ownCookie = await signInFirstUser(serviceWithFal);
      const { body: copy } = await serviceWithFal.request<{ id: string }>(
        'POST',
        '/templates/tpl_make-a-picture/duplicate',
        {},
      );
      await using testPage = await browser.open(serviceWithFal.url, VIEW, ownCookie);
      const { page } = testPage;
      await page.goto(`/flow/${copy.id}`);
      await page.getByText('Sample result', { exact: true }).first().waitFor();
      const banner = page.getByRole('region', { name: 'Sample results' });
      await banner
        .getByText(/^The results on the board are samples\. Run the workflow to make your own for/)
        .waitFor();
      await banner.getByRole('button', { name: 'Run workflow' }).click();
      await waitForRuns(serviceWithFal, copy.id, 1);
      assert.equal(fal.accepted.length, 1);
      await page.getByRole('region', { name: 'Run', exact: true }).getByText('Completed').waitFor();
      await page.getByText('Sample result', { exact: true }).first().waitFor({ state: 'detached' });
      await banner.waitFor({ state: 'detached' });
      assert.deepEqual(testPage.errors, []);
    } finally {
      await serviceWithFal.close();
      await fal.close();
    }
  });

  /** Waits until that many runs from the editor have completed. */
  const waitForRuns = ({ request }: TestService, id: string, count: number): Promise<void> =>
    waitUntil(`${count} runs of the editor have completed`, async () => {
      const { body } = await request<{ data: readonly { trigger: string; status: string }[] }>(
        'GET',
        `/workflows/${id}/executions`,
      );
      const runs = body.data.filter(({ trigger }) => trigger === 'editor');
      return runs.length === count && runs.every(({ status }) => status === 'COMPLETED');
    });

  async function createSetupLink(): Promise<string> {
    // Creates a new link, because the link of the first start contains another address.
    const deps = { now: Date.now, settings: { BASE_URL: service.url } as Settings };
    return (await createPasswordLink(service.db, deps, { userId: BOOTSTRAP_USER_ID, kind: 'setup' })).url;
  }
});

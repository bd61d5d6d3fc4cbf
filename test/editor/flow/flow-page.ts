// Helps tests of the board, in Chromium and in Node: stores workflows, opens them in the editor, and acts on the board.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Execution } from '../../../sdk/src/types.ts';
import type { TestBrowser, TestPage, View } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { KEY, type TestService } from '../../support/service.ts';
import type { SignedInBrowser } from '../../support/signed-in-browser.ts';

export interface SentGraph {
  readonly nodes: readonly object[];
  readonly edges: readonly object[];
}

export interface StoredWorkflow {
  readonly id: string;
  readonly name: string;
  readonly updatedAt: string;
  readonly nodes: readonly {
    readonly id: string;
    readonly position: { readonly x: number; readonly y: number };
    readonly data: {
      readonly label: string;
      readonly nodeType: string;
      readonly config?: Readonly<Record<string, unknown>>;
      readonly bypassed?: boolean;
    };
  }[];
  readonly edges: readonly {
    readonly source: string;
    readonly target: string;
    readonly sourceHandle?: string;
    readonly targetHandle?: string;
  }[];
}

export interface FlowTests {
  readonly service: TestService;
  readonly browser: TestBrowser;
  readonly cookie: string;
  create(graph: SentGraph): Promise<string>;
  read(id: string): Promise<StoredWorkflow>;
  /** Sends any request with the first account's key. */
  send<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /** Returns the runs of the workflow, newest first. */
  runs(id: string): Promise<readonly Execution[]>;
  /** Waits until exactly `count` runs of the workflow have ended. */
  untilRuns(id: string, count: number): Promise<void>;
  /** Opens the workflow in the editor as the first account, or as the account with the cookie. */
  open(id: string, view?: View, cookie?: string): Promise<TestPage>;
  close(): Promise<void>;
}

/** Adds what tests of the board do at the service and in its pages. */
export function createFlowTests({ service, browser, cookie }: SignedInBrowser): FlowTests {
  const sendRequest = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return (await response.json()) as T;
  };
  return {
    service,
    browser,
    cookie,
    create: async graph =>
      (await sendRequest<StoredWorkflow>('POST', '/workflows', { name: 'Board', ...graph })).id,
    read: id => sendRequest<StoredWorkflow>('GET', `/workflows/${id}`),
    send: sendRequest,
    runs: async id => {
      const { data } = await sendRequest<{ data: readonly { id: string }[] }>(
        'GET',
        `/workflows/${id}/executions`,
      );
      return Promise.all(data.map(run => sendRequest<Execution>('GET', `/executions/${run.id}`)));
    },
    untilRuns: (id, count) =>
      waitUntil(`${count} runs to end`, async () => {
        const path = `/workflows/${id}/executions`;
        const { data } = await sendRequest<{ data: readonly { finishedAt: string | null }[] }>('GET', path);
        return data.filter(({ finishedAt }) => finishedAt !== null).length === count;
      }),
    open: async (id, view, ownCookie = cookie) => {
      const testPage = await browser.open(service.url, view, ownCookie);
      await testPage.page.goto(`/flow/${id}`);
      await showCanvas(testPage.page);
      return testPage;
    },
    close: async () => {
      await browser.close();
      await service.close();
    },
  };
}

/** Narrower windows show the outline first. */
const PHONE_WIDTH = 768;

export const boardOf = (page: Page): Locator => page.getByRole('application', { name: 'Workflow canvas' });

/** Waits for the canvas, after selecting it if the window shows the outline. */
export async function showCanvas(page: Page): Promise<void> {
  if ((page.viewportSize()?.width ?? PHONE_WIDTH) < PHONE_WIDTH)
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
  await boardOf(page).waitFor();
}

export const nodeOf = (page: Page, label: string): Locator =>
  page.getByRole('group', { name: label, exact: true });

/** Clicks a tool of the bar, which a narrow window has in a menu. */
export async function clickTool(page: Page, name: string): Promise<void> {
  const bar = page.getByRole('toolbar', { name: 'Workflow' });
  const moreTools = bar.getByRole('button', { name: 'More tools' });
  if (name !== 'Add node' && (await moreTools.isVisible())) {
    await moreTools.click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  } else await bar.getByRole('button', { name, exact: true }).click();
}

/** Waits until the editor reports that the board is saved. */
export const untilSaved = (page: Page): Promise<void> =>
  page
    .getByRole('status', { name: 'Saving' })
    .filter({ hasText: /^Saved$/ })
    .waitFor();

/** Waits until earlier changes and changes of the next frame are rendered. */
export const untilRendered = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );

/** Arranges the board, and waits until the arrangement is saved and in view. */
export async function arrange(page: Page): Promise<void> {
  // Without this, the view would move for a while.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await clickTool(page, 'Arrange');
  await page.getByRole('log').getByText('Board arranged.').waitFor();
  await untilRendered(page);
  await untilSaved(page);
}

export async function addNode(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Add node' });
  await dialog.getByRole('combobox').fill(name);
  await dialog.getByRole('option', { name }).first().click();
  await dialog.waitFor({ state: 'detached' });
}

/** Draws a connection with the mouse. */
export async function connect(page: Page, from: string, to: string): Promise<void> {
  const [start, end] = await Promise.all(
    [from, to].map(name => page.getByRole('button', { name, exact: true }).boundingBox()),
  );
  assert.ok(start && end);
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x + end.width / 2 - 20, end.y + end.height / 2 - 10, { steps: 8 });
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 4 });
  await page.mouse.up();
}

/** Creates a text, an image of this text, and a preview, connected in this order. */
export const pictureOf = (text: string): SentGraph => ({
  nodes: [
    createNode(0, {
      id: 'idea',
      label: 'Idea',
      category: 'input',
      nodeType: 'input:text',
      config: { value: text },
    }),
    createNode(340, {
      id: 'picture',
      label: 'Picture',
      category: 'model',
      nodeType: 'generate:sandbox',
      config: { seed: 1, width: 64, height: 64 },
    }),
    createNode(760, { id: 'preview', label: 'Preview', category: 'output', nodeType: 'output:preview' }),
  ],
  edges: [
    { id: 'a', source: 'idea', target: 'picture', sourceHandle: 'out-text', targetHandle: 'in-prompt' },
    { id: 'b', source: 'picture', target: 'preview', sourceHandle: 'out-image', targetHandle: 'in-input' },
  ],
});

export const PICTURE = pictureOf('a boat');

function createNode(
  x: number,
  { id, ...data }: { readonly id: string; readonly [key: string]: unknown },
): object {
  return { id, type: 'basedNode', position: { x, y: 0 }, data };
}

/** Selects the node labeled "Idea" of the graph `PICTURE`, and replaces its text in the inspector. */
export async function fillIdea(page: Page, text: string): Promise<void> {
  await nodeOf(page, 'Idea').click({ position: { x: 90, y: 20 } });
  await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Text', { exact: true }).fill(text);
}

/** Returns the text of the node Idea that the service stores. */
export const ideaOf = ({ nodes }: StoredWorkflow): unknown =>
  nodes.find(({ id }) => id === 'idea')?.data.config?.value;

export const untilIdea = (flow: FlowTests, id: string, text: string): Promise<unknown> =>
  waitUntil(`"${text}" to be saved`, async () => ideaOf(await flow.read(id)) === text);

// Performs random gestures of two people at the same time in two browsers on one workflow. No value may be lost: an
// entered value is stored unless somebody who saw the value replaced it, deleted its node or kept the other value of a
// conflict. GESTURES and SEED set the number of gestures of each person and the seed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';
import { signUpUser } from '../../support/accounts/first-user.ts';
import { BROWSER_MISSING_REASON } from '../../support/browser.ts';
import { waitUntil } from '../../support/processes.ts';
import { startFlowTests } from './flow-browser.ts';
import { boardOf, type FlowTests } from './flow-page.ts';
import { makeTexts } from './gesture-model.ts';

const GESTURES = Number(process.env.GESTURES ?? 40);
const SEED = Number(process.env.SEED ?? 1);
const VIEW = { width: 1920, height: 1080, colorScheme: 'light' } as const;
const CONFLICT = 'Someone else changed this too.';
/** With this number of nodes, no node is deleted. */
const MIN_NODES = 4;

type Random = () => number;

/** Values by node id. */
type Values = readonly (readonly [string, string])[];

/** Runs in the page. Returns the values on the screen by node. */
const listValues = (): Values =>
  [...document.querySelectorAll<HTMLElement>('[data-node-id]')].map(
    node => [node.dataset.nodeId ?? '', node.querySelector('textarea')?.value ?? ''] as const,
  );

/** Records the values that each person entered, and the values that a person saw and then replaced. */
class EnteredValues {
  readonly #labels = new Map<string, string>();
  readonly #replaced = new Set<string>();
  readonly #chosenNodes = new Set<string>();

  enter(label: string, value: string): void {
    this.#labels.set(value, label);
  }

  replace(value: string): void {
    this.#replaced.add(value);
  }

  isReplaced(value: string | undefined): boolean {
    return value !== undefined && this.#replaced.has(value);
  }

  /** Somebody chose whether to keep the node. */
  choose(label: string): void {
    this.#chosenNodes.add(label);
  }

  check(storedValues: ReadonlyMap<string, string>, initial: ReadonlySet<string>): void {
    const values = new Set(storedValues.values());
    const unknown = [...values].filter(value => !this.#labels.has(value) && !initial.has(value));
    assert.deepEqual(unknown, [], 'values that nobody entered');
    const lost = [...this.#labels].filter(
      ([value, label]) => !values.has(value) && !this.#replaced.has(value) && !this.#chosenNodes.has(label),
    );
    assert.deepEqual(lost, [], 'values that were lost');
  }
}

class Person {
  readonly name: string;
  readonly page: Page;
  readonly #entered: EnteredValues;
  readonly #random: Random;
  #count = 0;

  constructor(name: string, page: Page, entered: EnteredValues, random: Random) {
    this.name = name;
    this.page = page;
    this.#entered = entered;
    this.#random = random;
  }

  /** Returns the values on this person's screen by node. */
  async read(): Promise<ReadonlyMap<string, string>> {
    return new Map(await this.page.evaluate(listValues));
  }

  async act(): Promise<string> {
    const gestures = [
      this.type,
      this.type,
      this.type,
      this.move,
      this.undo,
      this.duplicate,
      this.remove,
      this.reload,
    ];
    const gesture = this.#pick(gestures) ?? this.type;
    if (this.#random() < 0.4) await this.resolveConflict();
    return `${this.name} ${gesture.name} ${await gesture.call(this)}`;
  }

  async type(): Promise<string> {
    const id = this.#pick([...(await this.read()).keys()]);
    if (id === undefined) return '';
    const value = `${this.name} ${++this.#count}`;
    // Reads and replaces the value in one task of the page, so that no other change arrives in between.
    const replacement = await this.page.evaluate(
      ([id, value]) => {
        const field = document.querySelector<HTMLTextAreaElement>(`[data-node-id="${id}"] textarea`);
        if (field === null) return undefined;
        const before = field.value;
        field.focus();
        field.select();
        document.execCommand('insertText', false, value);
        field.blur();
        const [label = ''] = /Text \d+/.exec(field.getAttribute('aria-label') ?? '') ?? [];
        return { before, label };
      },
      [id, value] as const,
    );
    if (replacement === undefined) return '';
    this.#entered.replace(replacement.before);
    this.#entered.enter(replacement.label, value);
    return `"${value}" over "${replacement.before}" in ${replacement.label} (${id})`;
  }

  async move(): Promise<string> {
    const id = await this.#select();
    await this.page.keyboard.press(this.#pick(['ArrowRight', 'ArrowDown']) ?? 'ArrowUp');
    return id;
  }

  async undo(): Promise<string> {
    const isRedo = this.#random() < 0.4;
    return this.#recordReplaced(isRedo ? 'Control+Shift+z' : 'Control+z');
  }

  async duplicate(): Promise<string> {
    if (this.#random() < 0.7) return '';
    const id = await this.#select();
    await this.page.keyboard.press('Control+d');
    return id;
  }

  async remove(): Promise<string> {
    if ((await this.read()).size <= MIN_NODES) return '';
    await this.#select();
    return this.#recordReplaced('Delete');
  }

  async reload(): Promise<string> {
    if (this.#random() < 0.7) return '';
    await this.page.reload();
    await boardOf(this.page).waitFor();
    return 'done';
  }

  /** Resolves an open conflict at random. */
  async resolveConflict(): Promise<void> {
    const keepsMine = this.#random() < 0.5;
    // In one task of the page, because the conflict may change or disappear at any time.
    const conflict = await this.page.evaluate(
      ([title, keepsMine]) => {
        const element = document.querySelector(`section[aria-label="${title}"]`);
        if (element === null) return undefined;
        const [mine = '', theirs = ''] = [...element.querySelectorAll('dd')].map(
          each => each.textContent ?? '',
        );
        const description = element.querySelector('p')?.textContent ?? '';
        element.querySelectorAll('button')[keepsMine ? 0 : 1]?.click();
        return { mine, theirs, description };
      },
      [CONFLICT, keepsMine] as const,
    );
    if (conflict === undefined) return;
    this.#entered.replace(keepsMine ? conflict.theirs : conflict.mine);
    // The conflict was about a whole node, not about one of its values.
    const isAboutNode = [conflict.mine, conflict.theirs].some(each =>
      /^\((removed|kept, with changes)\)$/.test(each),
    );
    const [label] = /Text \d+/.exec(conflict.description) ?? [];
    if (isAboutNode && label !== undefined) this.#entered.choose(label);
  }

  /**
   * Records the values that a gesture of this person replaced: values of deleted nodes, own values, and values for which
   * an undo restored an earlier value. Changes of the other person that arrive meanwhile do not count.
   */
  async #recordReplaced(keys: string): Promise<string> {
    // Reads the values as the key arrives, so that the gesture replaces exactly these values.
    await this.page.evaluate(`{
      const controller = new AbortController();
      const record = () => { valuesAtKey = (${listValues})(); };
      addEventListener('keydown', record, { capture: true, signal: controller.signal });
      stopRecording = () => controller.abort();
    }`);
    await this.page.keyboard.press(keys);
    const before = new Map((await this.page.evaluate('stopRecording(); valuesAtKey')) as Values);
    const current = await this.read();
    const isOwn = (value: string | undefined): boolean => value?.startsWith(`${this.name} `) === true;
    const replaced = [...before].filter(([id, value]) => {
      const after = current.get(id);
      return (
        after !== value &&
        (!current.has(id) || isOwn(value) || isOwn(after) || this.#entered.isReplaced(after))
      );
    });
    for (const [, value] of replaced) this.#entered.replace(value);
    return replaced.map(([id, value]) => `"${value}" replaced in ${id}`).join(', ');
  }

  /** Selects a node by keyboard, and returns its id. */
  async #select(): Promise<string> {
    const id = this.#pick([...(await this.read()).keys()]) ?? '';
    await this.page.evaluate(
      id => document.querySelector<HTMLElement>(`[data-node-id="${id}"]`)?.focus({ preventScroll: true }),
      id,
    );
    await this.page.keyboard.press('Space');
    return id;
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }
}

describe('the editor in two browsers', {
  skip: BROWSER_MISSING_REASON,
  timeout: 180_000 + GESTURES * 3000,
}, () => {
  let flow: FlowTests;
  let guestCookie: string;

  before(async () => {
    flow = await startFlowTests();
    guestCookie = await signUpUser(flow.service, { email: GUEST_EMAIL, name: 'Cleo' });
  });
  after(() => flow?.close());

  it(`loses no value in ${GESTURES} random gestures of each user, of seed ${SEED}`, async () => {
    const graph = makeTexts();
    const id = await flow.create(graph);
    await flow.send('PUT', `/workflows/${id}/permissions`, { email: GUEST_EMAIL, role: 'EDIT' });
    await using ana = await flow.open(id, VIEW);
    await using cleo = await flow.open(id, VIEW, guestCookie);
    const entered = new EnteredValues();
    const random = createSeededRandom(SEED);
    const people = [
      new Person('Ana', ana.page, entered, createSeededRandom(Math.floor(random() * 1e9))),
      new Person('Cleo', cleo.page, entered, createSeededRandom(Math.floor(random() * 1e9))),
    ];
    const initial = new Set(await people[0]?.read().then(values => values.values()));
    const gestures: string[] = [];
    for (let done = 0; done < GESTURES; done++) {
      gestures.push(...(await Promise.all(people.map(person => person.act()))));
    }
    const storedValues = await waitForAgreement(flow, id, people);
    try {
      entered.check(storedValues, initial);
    } catch (err) {
      throw new Error(`${String(err)}\nafter\n${gestures.join('\n')}`, { cause: err });
    }
    assert.deepEqual(
      [...ana.errors, ...cleo.errors].filter(text => !/status of 409/.test(text)),
      [],
    );
  });
});

/** Waits until all conflicts are resolved and both pages show what the service stores. */
async function waitForAgreement(
  flow: FlowTests,
  id: string,
  people: readonly Person[],
): Promise<ReadonlyMap<string, string>> {
  let storedValues = new Map<string, string>();
  await waitUntil('both to show what is stored', async () => {
    for (const person of people) await person.resolveConflict();
    const { nodes } = await flow.read(id);
    storedValues = new Map(nodes.map(({ id, data }) => [id, String(data.config?.value ?? '')]));
    for (const { page, read } of people) {
      const status = await page.getByRole('status', { name: 'Saving' }).textContent();
      const screen = await read.call({ page } as Person);
      const isSame =
        screen.size === storedValues.size &&
        [...storedValues].every(([id, value]) => screen.get(id) === value);
      if (!/^Saved/.test(status ?? '') || !isSame) return false;
    }
    return true;
  });
  return storedValues;
}

const GUEST_EMAIL = 'cleo@example.com';

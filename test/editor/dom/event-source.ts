// Receives server-sent events, as EventSource does in browsers. Node has none.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
import { createParser } from 'eventsource-parser';

const RECONNECT_MS = 50;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface EventSources {
  readonly EventSource: unknown;
  /** Closes the open connections when the page is left. */
  close(): void;
}

type Listener = (event: MessageEvent<string> | Event) => void;

/** Creates the class for a page whose requests `fetch` sends. A lost connection is opened again after 50 ms. */
export function createEventSources(fetch: Fetch): EventSources {
  const open = new Set<{ close(): void }>();
  class NodeEventSource {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSED = 2;
    readyState: number = NodeEventSource.CONNECTING;
    readonly #url: string;
    readonly #listeners = new Map<string, Set<Listener>>();
    readonly #abort = new AbortController();
    #lastEventId = '';

    constructor(url: string) {
      this.#url = url;
      open.add(this);
      void this.#run();
    }

    addEventListener(type: string, listener: Listener): void {
      this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
    }

    removeEventListener(type: string, listener: Listener): void {
      this.#listeners.get(type)?.delete(listener);
    }

    close(): void {
      this.readyState = NodeEventSource.CLOSED;
      open.delete(this);
      this.#abort.abort();
    }

    dispatchEvent(event: Event): boolean {
      for (const listener of this.#listeners.get(event.type) ?? []) listener(event);
      return true;
    }

    async #run(): Promise<void> {
      while (this.readyState !== NodeEventSource.CLOSED) {
        await this.#connect().catch(() => undefined);
        if (this.#abort.signal.aborted) return;
        if (this.readyState === NodeEventSource.OPEN) this.readyState = NodeEventSource.CONNECTING;
        this.dispatchEvent(new Event('error'));
        await new Promise(resolve => setTimeout(resolve, RECONNECT_MS));
      }
    }

    async #connect(): Promise<void> {
      const response = await fetch(this.#url, {
        signal: this.#abort.signal,
        headers: {
          accept: 'text/event-stream',
          ...(this.#lastEventId === '' ? {} : { 'last-event-id': this.#lastEventId }),
        },
      });
      if (!response.ok || response.body === null) {
        this.readyState = NodeEventSource.CLOSED;
        return;
      }
      this.readyState = NodeEventSource.OPEN;
      this.dispatchEvent(new Event('open'));
      const parser = createParser({
        onEvent: ({ id, event, data }) => {
          this.#lastEventId = id ?? this.#lastEventId;
          this.dispatchEvent(new MessageEvent(event ?? 'message', { data, lastEventId: this.#lastEventId }));
        },
      });
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        if (this.#abort.signal.aborted) return;
        parser.feed(text);
      }
    }
  }
  return {
    EventSource: NodeEventSource,
    close: () => {
      for (const source of open) source.close();
    },
  };
}

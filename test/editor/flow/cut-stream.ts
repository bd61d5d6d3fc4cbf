// Cuts the event stream of a run in the middle of an event, and records what each connection requested and received.
import type { Page } from 'playwright-core';

export interface RecordedStream {
  readonly lastEventId: string | null;
  readonly text: string;
}

/** Cuts the first stream after the next page load, in the middle of the event after the snapshot. */
export async function cutFirstStream(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const streams: { lastEventId: string | null; text: string }[] = [];
    Object.assign(window, { streams });
    const originalFetch = window.fetch;
    window.fetch = async (input, init) => {
      const response = await originalFetch(input, init);
      if (!/\/executions\/[^/]+\/events$/.test(String(input)) || response.body === null) return response;
      const stream = { lastEventId: new Headers(init?.headers).get('last-event-id'), text: '' };
      const isCut = streams.push(stream) === 1;
      const body = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
        new TransformStream<string, Uint8Array>({
          transform(chunk, controller) {
            const length = isCut ? getCutPosition(stream.text + chunk) - stream.text.length : chunk.length;
            const passedText = chunk.slice(0, length);
            stream.text += passedText;
            controller.enqueue(new TextEncoder().encode(passedText));
            if (passedText.length < chunk.length)
              controller.error(new TypeError('The connection was reset.'));
          },
        }),
      );
      return new Response(body, { status: response.status, headers: response.headers });
    };
    /** Returns a position inside the event after the snapshot; beyond the end if that event has not started. */
    function getCutPosition(text: string): number {
      const snapshot = text.indexOf('event: snapshot');
      const end = snapshot < 0 ? -1 : text.indexOf('\n\n', snapshot);
      const next = end < 0 ? -1 : text.indexOf('data: ', end);
      return next < 0 ? Number.POSITIVE_INFINITY : next + 12;
    }
  });
}

export const readStreams = (page: Page): Promise<readonly RecordedStream[]> =>
  page.evaluate(() => (window as unknown as { streams: RecordedStream[] }).streams);

/** Returns the ids of the events that arrived completely. */
export const listEventIds = ({ text }: RecordedStream): readonly number[] =>
  text
    .split('\n\n')
    .slice(0, -1)
    .flatMap(block => /^id: (\d+)$/m.exec(block)?.[1] ?? [])
    .map(Number);

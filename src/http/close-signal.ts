// When to stop working for a reply: its caller has hung up, or the service is stopping.
import type { ServerResponse } from 'node:http';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Fires when the caller hangs up or the service stops; never after the answer is through. */
    closeSignal(): AbortSignal;
  }
}

/** Calls back once the answer is through or its caller has gone, also where that has happened already. */
export function onClosed(raw: ServerResponse, callback: () => void): void {
  if (raw.destroyed) callback();
  else raw.once('close', callback);
}

/** Gives replies their `closeSignal`, and fires all that are open before the server waits for its last answers. */
export function registerCloseSignals(app: App): void {
  const open = new Set<AbortController>();
  let stopping = false;
  app.decorateReply('closeSignal', function closeSignal() {
    const controller = new AbortController();
    open.add(controller);
    // Of the reply, not of the socket, which outlives it and would gather a listener a request.
    this.raw.once('close', () => {
      open.delete(controller);
      if (!this.raw.writableFinished) controller.abort();
    });
    if (stopping || this.raw.destroyed) controller.abort();
    return controller.signal;
  });
  app.addHook('preClose', done => {
    stopping = true;
    for (const controller of open) controller.abort();
    done();
  });
}

// Provides a signal to stop working on a response: its caller has disconnected, or the service is stopping.
import type { ServerResponse } from 'node:http';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Fires when the caller disconnects or the service stops, but never after the response has been sent. */
    closeSignal(): AbortSignal;
  }
}

/** Calls back when the response has been sent or its caller has disconnected, immediately if that already happened. */
export function onClosed(raw: ServerResponse, callback: () => void): void {
  if (raw.destroyed) callback();
  else raw.once('close', callback);
}

/** Adds `closeSignal` to replies, and fires the open signals before the server waits for its last responses. */
export function registerCloseSignals(app: App): void {
  const openControllers = new Set<AbortController>();
  let stopping = false;
  app.decorateReply('closeSignal', function closeSignal() {
    const controller = new AbortController();
    openControllers.add(controller);
    // Listens on the response: the socket outlives it and would collect one listener per request.
    this.raw.once('close', () => {
      openControllers.delete(controller);
      if (!this.raw.writableFinished) controller.abort();
    });
    if (stopping || this.raw.destroyed) controller.abort();
    return controller.signal;
  });
  app.addHook('preClose', done => {
    stopping = true;
    for (const controller of openControllers) controller.abort();
    done();
  });
}

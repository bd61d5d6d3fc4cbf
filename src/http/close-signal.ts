// Provides a signal to stop working on a response, because its caller has disconnected or the service is stopping.
import type { ServerResponse } from 'node:http';
import type { Server } from './deps.ts';

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
export function registerCloseSignals(server: Server): void {
  const openControllers = new Set<AbortController>();
  let isStopping = false;
  server.decorateReply('closeSignal', function closeSignal() {
    const controller = new AbortController();
    openControllers.add(controller);
    // Listens on the response, because the socket serves later requests too and would collect a listener for each.
    this.raw.once('close', () => {
      openControllers.delete(controller);
      if (!this.raw.writableFinished) controller.abort();
    });
    if (isStopping || this.raw.destroyed) controller.abort();
    return controller.signal;
  });
  server.addHook('preClose', done => {
    isStopping = true;
    for (const controller of openControllers) controller.abort();
    done();
  });
}

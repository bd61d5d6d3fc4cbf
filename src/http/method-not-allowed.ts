// 404 and 405: a path that other methods answer to is told apart from one that nothing answers to.
import findMyWay from 'find-my-way';
import { AppError } from '../lib/errors.ts';
import type { App } from './app.ts';

/** Must be called before the routes are registered: it watches them. */
export function registerMethodNotAllowed(app: App): void {
  // The same router as Fastify's, keyed by path alone.
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 200 });
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    if (!known.has(url)) router.on('GET', url, refuseToCall, methods);
    known.set(url, methods);
  });
  app.setNotFoundHandler(req => {
    const found = router.find('GET', req.url.split('?', 1)[0] ?? '/');
    if (found === null || found.store === null)
      throw new AppError('not_found', `Nothing answers to ${req.method} ${req.url.split('?', 1)[0]}.`);
    const allow = [...(found.store as Set<string>)].sort().join(', ');
    throw new AppError('method_not_allowed', `This path answers to ${allow}, not to ${req.method}.`, {
      headers: { allow },
    });
  });
}

function refuseToCall(): void {
  throw new Error('This router only looks paths up.');
}

// Presents an app to its visitors: its form, examples and limits.
import type { RunDeps } from '../runs/deps.ts';
import { readExamples } from './examples.ts';
import { toInputSchema } from './fields.ts';
import { type OpenApp, openApp } from './open-app.ts';
import { createAppChallenge } from './proof.ts';
import { appUrl } from './settings.ts';
import type { VisitorRequest } from './visitor.ts';

export async function readAppView(deps: RunDeps, slug: string, request: VisitorRequest) {
  const open = await openApp(deps, slug, request);
  return {
    slug: open.app.slug,
    url: appUrl(deps, open.app.slug),
    title: open.settings.title,
    description: open.settings.description,
    inputSchema: toInputSchema(open.fields),
    outputs: open.outputs.map(({ key, label, type }) => ({ key, label, type })),
    examples: await readExamples(deps, open),
    limits: presentLimits(deps, open),
    isOutOfOrder: open.faults.length > 0,
    hasGallery: open.settings.showsGallery,
  };
}

function presentLimits(deps: RunDeps, { app, visitor }: OpenApp) {
  const { runs_per_visitor: runsPerVisitor } = app;
  const name = `app:${app.id}:${visitor.names[0]}`;
  return {
    payer: app.payer,
    needsProof: visitor.user === undefined && !visitor.isVouched,
    runsPerVisitor,
    runsLeft: runsPerVisitor === null ? null : deps.limiter.peek(name, runsPerVisitor, 86_400).remaining,
  };
}

/** Returns a challenge for an anonymous visitor. */
export async function readChallenge(deps: RunDeps, slug: string, request: VisitorRequest) {
  const { app } = await openApp(deps, slug, request);
  return createAppChallenge(deps, app);
}

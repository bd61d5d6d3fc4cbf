// Presents an app to its visitors: its form, examples and limits.
import type { RunDeps } from '../runs/deps.ts';
import { readExamples } from './examples.ts';
import { toInputSchema } from './fields.ts';
import { type OpenApp, openApp } from './open-app.ts';
import { createAppChallenge } from './proof.ts';
import { countRunsLeft } from './runs-per-visitor.ts';
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

function presentLimits(deps: RunDeps, open: OpenApp) {
  const { app, visitor } = open;
  return {
    payer: app.payer,
    needsProof: visitor.user === undefined && !visitor.isVouched,
    runsPerVisitor: app.runs_per_visitor,
    runsLeft: countRunsLeft(deps, open),
  };
}

/** Returns a challenge for an anonymous visitor. */
export async function readChallenge(deps: RunDeps, slug: string, request: VisitorRequest) {
  const { app } = await openApp(deps, slug, request);
  return createAppChallenge(deps, app);
}

// Presents an app to its visitors: its form, examples and limits.
import type { RunDeps } from '../runs/deps.ts';
import { readExamples } from './examples.ts';
import { toInputSchema } from './fields.ts';
import { type OpenedApp, openApp } from './open-app.ts';
import { createAppChallenge } from './proof.ts';
import { countRunsLeft } from './runs-per-visitor.ts';
import { getAppUrl } from './settings.ts';
import { isAnonymous, type VisitorRequest } from './visitor.ts';

export async function readAppView(deps: RunDeps, slug: string, request: VisitorRequest) {
  const opened = await openApp(deps, slug, request);
  return {
    slug: opened.app.slug,
    url: getAppUrl(deps, opened.app.slug),
    title: opened.settings.title,
    description: opened.settings.description,
    inputSchema: toInputSchema(opened.fields),
    outputs: opened.outputs.map(({ key, label, type }) => ({ key, label, type })),
    examples: await readExamples(deps, opened),
    limits: await presentLimits(deps, opened),
    isOutOfOrder: opened.issues.length > 0,
    hasGallery: opened.settings.showsGallery,
  };
}

async function presentLimits(deps: RunDeps, opened: OpenedApp) {
  const { app, visitor } = opened;
  return {
    payer: app.payer,
    needsProof: isAnonymous(visitor),
    runsPerVisitor: app.runs_per_visitor,
    runsLeft: await countRunsLeft(deps, opened),
  };
}

/** Returns a challenge for an anonymous visitor. */
export async function readChallenge(deps: RunDeps, slug: string, request: VisitorRequest) {
  const { app } = await openApp(deps, slug, request);
  return createAppChallenge(deps, app);
}

// Prices a run of a template with its stored inputs.
import type { Catalog } from '../../graph/catalog.ts';
import { AppError } from '../../lib/errors.ts';
import { getWorkspaceId } from '../../services/accounts/access.ts';
import type { TemplatePrice } from '../../services/workflows/templates.ts';
import type { TemplateRow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { priceForecast } from './estimate-plan.ts';
import { forecastPaidNodes } from './estimate-run.ts';

/** Cached by version, which never changes. A price is valid for the models that it was computed from. */
const kept = new WeakMap<
  object,
  { readonly entries: Catalog['entries']; readonly price: TemplatePrice | null }
>();

/** Prices the version that others see. Returns null if its graph cannot run. */
export async function priceTemplate(deps: RunDeps, row: TemplateRow): Promise<TemplatePrice | null> {
  const version = await deps.versions.get(deps.db, row.id, row.published_version ?? row.version);
  const { entries } = deps.catalog;
  const known = kept.get(version);
  if (known?.entries === entries) return known.price;
  const price = await forecast(deps, row, version);
  kept.set(version, { entries, price });
  return price;
}

async function forecast(
  deps: RunDeps,
  row: TemplateRow,
  version: Awaited<ReturnType<RunDeps['versions']['get']>>,
): Promise<TemplatePrice | null> {
  const planned = version.plan();
  if (!planned.ok) return null;
  try {
    const owner = { userId: row.user_id, workspace: getWorkspaceId(row) };
    return priceForecast(await forecastPaidNodes(deps, { plan: planned.plan, overrides: new Map(), owner }));
  } catch (err) {
    if (err instanceof AppError) return null;
    throw err;
  }
}

// Estimates a run of the board. If a provider is missing, estimates a run with sample results.
import type { RunRequest } from '../../../sdk/src/types.ts';
import { api } from '../../lib/api.ts';

/** The response of an estimate. */
export interface Estimate {
  readonly credits: number;
  readonly exact: boolean;
  readonly availableCredits: number;
  readonly breakdown: readonly { readonly nodeId: string; readonly cached: boolean }[];
  /** Nodes whose results are reused from an earlier run. */
  readonly kept?: readonly string[];
  /** Whether a provider is missing, and sample results could replace its results. */
  readonly hasSample?: boolean;
  /** Providers that are missing. */
  readonly needs?: readonly string[];
  /** Nodes that use their sample result. */
  readonly sampled?: readonly string[];
  readonly issues: readonly { readonly nodeId: string; readonly code: string }[];
}

/** The use of sample results on a board that lacks a provider. */
export interface Samples {
  readonly needs: readonly string[];
  /** Nodes that use their sample result. */
  readonly nodeIds: readonly string[];
  /** Nodes that have changed since the sample was recorded. The board can run only if there are none. */
  readonly changedIds: readonly string[];
  /** The price of a run with all providers. */
  readonly withoutSamples: Pick<Estimate, 'credits' | 'exact'>;
}

/** Returns whether runs of the board use sample results. */
export const usesSample = (samples: Samples | undefined): boolean => samples?.changedIds.length === 0;

function requestEstimate(workflowId: string, request: RunRequest, signal?: AbortSignal): Promise<Estimate> {
  return api.post(`/workflows/${workflowId}/estimate`, request, {
    ...(signal === undefined ? {} : { signal }),
    repeatable: true,
  });
}

/** Returns the estimate of a run as the board starts it. */
export async function estimateBoard(
  workflowId: string,
  request: RunRequest,
  signal?: AbortSignal,
): Promise<{ readonly estimate: Estimate; readonly samples: Samples | undefined }> {
  const withoutSamples = await requestEstimate(workflowId, request, signal);
  if (withoutSamples.hasSample !== true) return { estimate: withoutSamples, samples: undefined };
  const withSamples = await requestEstimate(workflowId, { ...request, useSample: true }, signal);
  const samples: Samples = {
    needs: withoutSamples.needs ?? [],
    nodeIds: withSamples.sampled ?? [],
    changedIds: withSamples.issues
      .filter(({ code }) => code === 'provider_not_configured' || code === 'local_nodes_off')
      .map(({ nodeId }) => nodeId),
    withoutSamples,
  };
  return { estimate: usesSample(samples) ? withSamples : withoutSamples, samples };
}

// Reads and writes the calls through which the user opened a component in place, from the outermost workflow inward, as
// `in` parameters of the URL, such as `/flow/wf_b?in=wf_a:3:call1`.

/** A call through which a component is open. */
export interface TrailStep {
  /** The workflow that has the call. */
  readonly workflowId: string;
  readonly nodeId: string;
  /** The version of the component that the call uses. */
  readonly version: number | 'latest';
  /** Whether the component's current version is open, which can be edited, instead of the version that the call uses. */
  readonly isCurrent: boolean;
}

/** Calls can be nested this deep. */
const MAX_STEPS = 8;
const STEP = /^(?<workflowId>[\w-]+):(?<version>latest|[1-9]\d{0,8})(?<isCurrent>\+?):(?<nodeId>.+)$/s;

/** Reads the steps from a query string. Ignores malformed steps. */
export function parseTrail(search: string): readonly TrailStep[] {
  return new URLSearchParams(search)
    .getAll('in')
    .slice(0, MAX_STEPS)
    .flatMap(text => {
      const { workflowId = '', version: label, isCurrent, nodeId = '' } = STEP.exec(text)?.groups ?? {};
      if (workflowId === '') return [];
      const version = label === 'latest' ? label : Number(label);
      return [{ workflowId, nodeId, version, isCurrent: isCurrent === '+' }];
    });
}

/** Returns the URL of a workflow that is open through these calls. */
export function toFlowHref(workflowId: string, trail: readonly TrailStep[]): string {
  const query = new URLSearchParams(
    trail.map(step => [
      'in',
      `${step.workflowId}:${step.version}${step.isCurrent ? '+' : ''}:${step.nodeId}`,
    ]),
  );
  return `/flow/${workflowId}${trail.length === 0 ? '' : `?${query}`}`;
}

/** Returns the URL of the workflow that has the innermost call. */
export function toCallerHref(trail: readonly TrailStep[]): string {
  return toFlowHref(trail.at(-1)?.workflowId ?? '', trail.slice(0, -1));
}

// Converts the settings of an app to form values and back, and describes its access in words.
import type { AppInput, AppRequest, AppSettings } from '../../../../../sdk/src/schemas.ts';
import { getMediaInputKind, isInputNode } from '../../../../../src/graph/input-nodes.ts';
import { toSlug } from '../../../../../src/graph/slug.ts';
import type { GraphNode } from '../../../../../src/graph/types.ts';
import { messages } from '../../../../flow-messages.ts';
import { formatNumber } from '../../../../lib/format.ts';
import { toLimit } from '../../../../lib/to-limit.ts';

const appMessages = messages.flow.app;

/** The values of the form. Numbers are text while they are edited. An empty number means no limit. */
export interface AppForm
  extends Pick<
    Required<AppRequest>,
    'slug' | 'title' | 'inputs' | 'outputs' | 'outputLabels' | 'audience' | 'payer' | 'isEnabled'
  > {
  readonly description: string;
  /** Execution ids. */
  readonly examples: readonly string[];
  /** One per line. */
  readonly embedOrigins: string;
  readonly isPinned: boolean;
  readonly maxCreditsPerRun: string;
  readonly dailyCredits: string;
  readonly runsPerVisitor: string;
  /** Empty: a share of the plan. */
  readonly runsPerDay: string;
  readonly uploadMbPerDay: string;
  readonly showsGraph: boolean;
  readonly allowsDuplicate: boolean;
  readonly showsGallery: boolean;
}

export const MB = 1_000_000;

const isOutputNode = ({ data }: GraphNode): boolean => data.nodeType.startsWith('output:');

/** Returns the form of a stored app. For a new app: all inputs, and all output nodes or else the last node. */
export function toForm(app: AppSettings | undefined, nodes: readonly GraphNode[], name: string): AppForm {
  const text = (value: number | null | undefined): string => value?.toString() ?? '';
  return {
    slug: app?.slug ?? toSlug(name),
    title: app?.title ?? name,
    description: app?.description ?? '',
    isEnabled: app?.isEnabled ?? true,
    isPinned: typeof app?.version === 'number',
    inputs: app?.inputs ?? nodes.filter(isInputNode).map(toInput),
    outputs: app?.outputs ?? chooseOutputs(nodes),
    outputLabels: app?.outputLabels ?? {},
    examples: app?.examples ?? [],
    embedOrigins: app?.embedOrigins?.join('\n') ?? '',
    audience: app?.audience ?? 'workspace',
    payer: app?.payer ?? 'owner',
    maxCreditsPerRun: text(app?.maxCreditsPerRun),
    dailyCredits: text(app?.dailyCredits),
    runsPerVisitor: text(app?.runsPerVisitor),
    runsPerDay: text(app?.runsPerDay),
    uploadMbPerDay: typeof app?.uploadBytesPerDay === 'number' ? text(app.uploadBytesPerDay / MB) : '',
    showsGraph: app?.showsGraph ?? false,
    allowsDuplicate: app?.allowsDuplicate ?? false,
    showsGallery: app?.showsGallery ?? false,
  };
}

/** Returns the settings of a new input. A file can be private, so visitors see it only if the owner says so. */
export const toInput = ({ id, data }: GraphNode): AppInput => ({
  nodeId: id,
  label: data.label,
  showsDefault: getMediaInputKind(data.nodeType) === undefined,
});

function chooseOutputs(nodes: readonly GraphNode[]): readonly string[] {
  const outputs = nodes.filter(isOutputNode);
  const last = nodes.findLast(node => !isInputNode(node) && !node.data.nodeType.startsWith('utility:'));
  return (outputs.length > 0 ? outputs : last === undefined ? [] : [last]).map(({ id }) => id);
}

/** Anonymous visitors always have a limit. */
const DEFAULT_RUNS_PER_VISITOR = '3';

/** Returns the changed fields if other people can run the app. */
export function setAudience({ runsPerVisitor }: AppForm, audience: AppForm['audience']): Partial<AppForm> {
  const needsLimit = audience === 'anyone' && runsPerVisitor === '';
  return { audience, ...(needsLimit ? { runsPerVisitor: DEFAULT_RUNS_PER_VISITOR } : {}) };
}

/** Returns the request body that stores the form. */
export function toRequest(form: AppForm, version: number | 'current'): AppRequest {
  const {
    isPinned: _isPinned,
    maxCreditsPerRun,
    dailyCredits,
    runsPerVisitor,
    runsPerDay,
    uploadMbPerDay,
    description,
    embedOrigins,
    ...fields
  } = form;
  return {
    ...fields,
    description: description === '' ? null : description,
    version,
    maxCreditsPerRun: toLimit(maxCreditsPerRun),
    dailyCredits: toLimit(dailyCredits),
    runsPerVisitor: toLimit(runsPerVisitor),
    runsPerDay: toLimit(runsPerDay),
    uploadBytesPerDay: uploadMbPerDay === '' ? null : Math.round(Number(uploadMbPerDay) * MB),
    embedOrigins: embedOrigins.split(/\s+/).filter(origin => origin !== ''),
  };
}

/** Describes who can run the app and who pays, such as "Anyone with the link, at most 40 credits a day, paid by Studio." */
export function describeAccess(
  { audience, payer, dailyCredits, maxCreditsPerRun, runsPerVisitor, isEnabled }: AppForm,
  workspace: string,
): string {
  if (!isEnabled) return appMessages.disabled;
  const parts = [
    appMessages.audiences[audience],
    dailyCredits !== '' && appMessages.daily(formatNumber(Number(dailyCredits))),
    maxCreditsPerRun !== '' && appMessages.perRun(formatNumber(Number(maxCreditsPerRun))),
    runsPerVisitor !== '' && appMessages.runsEach(Number(runsPerVisitor)),
    payer === 'owner' ? appMessages.paidBy(workspace) : appMessages.paidByVisitors,
  ];
  return `${parts.filter(part => part !== false).join(', ')}.`;
}

/** Returns the HTML that embeds the app. */
export function toEmbedCode({ url, title }: Pick<AppSettings, 'url' | 'title'>): string {
  const text = title.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<iframe src="${url}" title="${text}" width="100%" height="800" style="border: 0"></iframe>`;
}

/** Returns the changed labels of outputs. An output without a label shows its kind. */
export function setOutputLabel({ outputLabels }: AppForm, nodeId: string, label: string): Partial<AppForm> {
  const { [nodeId]: _, ...others } = outputLabels;
  return { outputLabels: label === '' ? others : { ...others, [nodeId]: label } };
}

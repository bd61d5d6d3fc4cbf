// Defines the texts about components: calls on the board, components opened in place, and the workflows that use one.
import { formatNumber } from './lib/format.ts';

const workflows = (count: number): string =>
  count === 1 ? '1 workflow' : `${formatNumber(count)} workflows`;
const connections = (count: number): string =>
  count === 1 ? '1 connection' : `${formatNumber(count)} connections`;

export const messages = {
  path: 'Path',
  back: (caller: string): string => `Back to ${caller}`,
  readOnly: 'This workflow is open for viewing. Duplicate it to make changes.',
  readOnlyVersion: 'An earlier version is open for viewing. Open the current version to make changes.',
  viewOnly: 'View only',
  runOf: (caller: string): string => `Run of ${caller}`,
  caller: 'The workflow that uses this component',
  make: {
    title: 'Make a component',
    about: 'The selected nodes become a workflow of their own. Other workflows can use it as a node, too.',
    name: 'Name',
    inputs: 'Inputs',
    outputs: 'Outputs',
    ports: (labels: readonly string[], more: number): string =>
      labels.length === 0 ? 'None' : `${labels.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
    noNodes: 'Select the nodes of the component first.',
    between: (labels: string, count: number): string =>
      `${labels} ${count === 1 ? 'connects' : 'connect'} selected nodes, so the component would be connected to itself. Select ${count === 1 ? 'it' : 'them'} too.`,
    selectBetween: (count: number): string => (count === 1 ? 'Select it too' : 'Select them too'),
    changedMeanwhile: 'Someone else changed these nodes. Try again.',
  },
  node: {
    typeOf: (name: string): string => `Component ${name}`,
    about: (name: string): string => `Runs the workflow ${name} as one node.`,
    hidden: (name: string): string =>
      `Runs the workflow ${name} as one node. You don't have permission to view it.`,
    version: 'Version',
    latest: 'Latest version',
    currentVersion: (version: number): string => `Version ${version} (current)`,
    shownOutput: 'Result shown on the node',
    unreadable: "You don't have permission to view the versions of this component.",
  },
  banner: {
    label: 'Component',
    older: (caller: string, usedVersion: number, current: number): string =>
      `${caller} uses version ${usedVersion}, which is open for viewing. The current version is ${current}.`,
    newer: (caller: string, usedVersion: number, current: number): string =>
      `${caller} uses version ${usedVersion}. You are editing version ${current}.`,
    latest: (caller: string): string => `${caller} always uses the latest version of this component.`,
    openCurrent: 'Edit current version',
    update: (caller: string): string => `Update ${caller}`,
    callers: 'Show where used',
  },
  update: {
    edit: 'Update component',
    mark: (version: number): string => `Update available: version ${version}`,
    title: (name: string): string => `Update ${name}`,
    versions: (usedVersion: number, current: number): string =>
      `This node uses version ${usedVersion}. Version ${current} is available.`,
    samePorts: 'The inputs and outputs stay the same.',
    ports: 'Changes of inputs and outputs',
    columns: { port: 'Port', change: 'Change' },
    sides: { input: 'Input', output: 'Output' },
    added: 'Added',
    removed: 'Removed',
    renamed: (before: string, after: string): string => `Renamed from ${before} to ${after}`,
    retyped: (before: string, after: string): string => `Type changed from ${before} to ${after}`,
    lost: (count: number): string =>
      `${connections(count)} will be removed, because their ports were removed or changed type.`,
    apply: (version: number): string => `Use version ${version}`,
    open: 'Open component',
    current: 'This node uses the current version.',
    done: (name: string, version: number | 'latest', lost: number): string =>
      [
        version === 'latest'
          ? `${name} now follows the latest version.`
          : `${name} now uses version ${version}.`,
        lost > 0 && `${connections(lost)} ${lost === 1 ? 'was' : 'were'} removed.`,
      ]
        .filter(Boolean)
        .join(' '),
  },
  callers: {
    title: (name: string): string => `Uses of ${name}`,
    none: 'No workflow uses this workflow as a component.',
    table: 'Workflows that use this component',
    columns: { workflow: 'Workflow', version: 'Version', nodes: 'Nodes', outcome: 'Outcome' },
    latest: 'Latest',
    hidden: (count: number): string =>
      `${workflows(count)} you cannot view also ${count === 1 ? 'uses' : 'use'} it.`,
    check: (version: number): string => `Update all to version ${version}`,
    confirm: (count: number): string => `Update ${workflows(count)}`,
    preview: 'Review what will change. Each workflow keeps its earlier version.',
    finished: 'These workflows were checked and updated as listed.',
    outcomes: { updated: 'Updated', unchanged: 'No change', refused: 'Not updated' },
    planned: { updated: 'Will be updated', unchanged: 'No change', refused: 'Cannot be updated' },
    lostPorts: (names: string): string => `Values for these inputs are no longer used: ${names}.`,
    noneUpdated: 'No workflow can be updated. Solve the problems below in each workflow first.',
    allCurrent: 'All workflows that you can edit use this version.',
  },
  delete: {
    title: (name: string): string => `Delete ${name}?`,
    text: 'Workflows use it as a component. They cannot run until you remove or replace it there.',
    action: 'Delete anyway',
  },
} as const;

// Formats the report of a soak as text.
import type { Counts, SoakReport } from './soak.ts';

const MAX_SHOWN_VIOLATIONS = 10;

export function describeReport(report: SoakReport): readonly string[] {
  const { violations } = report;
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const rows: readonly (readonly [string, string])[] = [
    ['runs accepted', `${report.accepted}, ${report.replayed} of them by a replayed answer`],
    ['runs refused', list(report.refused)],
    ['by status', list(report.statuses)],
    ['by error', list(report.errors)],
    ['faults', `${sum(report.faults)}: ${list(report.faults)}`],
    ['retried', list(report.retries)],
    ['takeovers', list(report.takeovers)],
    ['submissions', `${sum(report.submissions)}: ${list(report.submissions)}`],
    ['deliveries', list(report.deliveries)],
    ['duplicates', String(report.duplicates)],
    ['logged', list(report.logged)],
    ['time', `${seconds(report.loadMs)} under load, ${seconds(report.settleMs)} until everything had ended`],
  ];
  const violationLines = Object.entries(violations).flatMap(([guarantee, found]) => [
    `VIOLATED: ${guarantee} (${found.length})`,
    ...found.slice(0, MAX_SHOWN_VIOLATIONS).map(line => `  ${line}`),
  ]);
  return [
    ...rows.map(([name, text]) => `${name.padEnd(14)} ${text}`),
    ...(violationLines.length === 0 ? ['Every guarantee held.'] : violationLines),
  ];
}

function list(counts: Counts): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

// Formats the report of a soak as text.
import type { Counts, SoakReport } from './soak.ts';

const MAX_SHOWN_VIOLATIONS = 10;

export function describeReport(report: SoakReport): readonly string[] {
  const { violations } = report;
  const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const rows: readonly (readonly [string, string])[] = [
    ['runs accepted', `${report.accepted}, ${report.replayed} of them by a replayed answer`],
    ['runs refused', formatCounts(report.refused)],
    ['by status', formatCounts(report.statuses)],
    ['by error', formatCounts(report.errors)],
    ['faults', `${sum(report.faults)}: ${formatCounts(report.faults)}`],
    ['retried', formatCounts(report.retries)],
    ['takeovers', formatCounts(report.takeovers)],
    ['submissions', `${sum(report.submissions)}: ${formatCounts(report.submissions)}`],
    ['deliveries', formatCounts(report.deliveries)],
    ['duplicates', String(report.duplicates)],
    ['logged', formatCounts(report.logged)],
    [
      'time',
      `${formatSeconds(report.loadMs)} under load, ${formatSeconds(report.settleMs)} until all work had ended`,
    ],
  ];
  const violationLines = Object.entries(violations).flatMap(([guarantee, lines]) => [
    `VIOLATED: ${guarantee} (${lines.length})`,
    ...lines.slice(0, MAX_SHOWN_VIOLATIONS).map(line => `  ${line}`),
  ]);
  return [
    ...rows.map(([name, text]) => `${name.padEnd(14)} ${text}`),
    ...(violationLines.length === 0 ? ['Every guarantee held.'] : violationLines),
  ];
}

function formatCounts(counts: Counts): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

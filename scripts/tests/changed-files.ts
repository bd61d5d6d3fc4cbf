// Lists the files that differ from an earlier commit.
import { execFileSync } from 'node:child_process';

/**
 * Returns the changed and new files, relative to the root, since the commit `CHANGED_SINCE`. The default is the newest commit
 * that is older than four hours, because a change is often pushed as several commits, and because a test that a commit
 * touches should run even if the run of this commit was skipped. If there is none, it is the first commit.
 */
export function listChangedFiles(root: string): readonly string[] {
  const git = (...commandArguments: readonly string[]): readonly string[] =>
    execFileSync('git', commandArguments, { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter(line => line !== '');
  const base =
    process.env.CHANGED_SINCE ??
    git('rev-list', '-1', '--before=4 hours ago', 'HEAD')[0] ??
    git('rev-list', '--max-parents=0', 'HEAD')[0] ??
    'HEAD';
  return [
    ...git('-c', 'core.quotePath=false', 'diff', '--name-only', base),
    ...git('-c', 'core.quotePath=false', 'ls-files', '--others', '--exclude-standard'),
  ];
}

// Lists the files that differ from an earlier commit.
import { execFileSync } from 'node:child_process';

/**
 * Returns the changed and new files relative to the root, since the commit `CHANGED_SINCE`. By default, that is the newest
 * commit that is older than four hours: a change is often pushed as many commits, and each of them alone touches too few
 * tests. A repository that is younger has only changed files.
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

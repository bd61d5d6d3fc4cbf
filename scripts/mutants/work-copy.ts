// Copies the work tree, so that a mutation never changes the files of the user.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WorkCopy {
  readonly folder: string;
  remove(): void;
}

/** Checks a commit out in a temporary folder. Without a commit, the copy has all changes that are not committed. */
export function createWorkCopy(root: string, commit: string | undefined): WorkCopy {
  const parent = mkdtempSync(join(tmpdir(), 'graphwright-mutants-'));
  const folder = join(parent, 'tree');
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const listFiles = (...flags: string[]): string[] =>
    git('ls-files', '-z', ...flags)
      .split('\0')
      .filter(path => path !== '');
  git('worktree', 'add', '--quiet', '--detach', folder, commit ?? 'HEAD');
  if (commit === undefined) {
    for (const path of listFiles('--modified', '--others', '--exclude-standard'))
      if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path));
    for (const path of listFiles('--deleted')) rmSync(join(folder, path), { force: true });
  }
  for (const packages of ['node_modules', 'test/peers/node_modules']) linkPackages(root, folder, packages);
  return {
    folder,
    remove: () => {
      git('worktree', 'remove', '--force', folder);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** Links each package instead of the folder, because the caches in the folder belong to the user's files. */
function linkPackages(root: string, folder: string, packages: string): void {
  if (!existsSync(join(root, packages))) return;
  mkdirSync(join(folder, packages), { recursive: true });
  for (const name of readdirSync(join(root, packages)))
    if (name !== '.cache') symlinkSync(join(root, packages, name), join(folder, packages, name));
}

// Renders the icon of a node's category.

import Clapperboard from 'icon:clapperboard';
import Eye from 'icon:eye';
import GitBranch from 'icon:git-branch';
import LogIn from 'icon:log-in';
import Sparkles from 'icon:sparkles';
import Wrench from 'icon:wrench';
import type { Icon } from '../kit/icon.ts';

const ICONS: Readonly<Record<string, Icon>> = {
  input: LogIn,
  model: Sparkles,
  utility: Wrench,
  logic: GitBranch,
  output: Eye,
  video: Clapperboard,
};

export function CategoryIcon({ category, size = 16 }: { readonly category: string; readonly size?: number }) {
  const IconComponent = ICONS[category] ?? Wrench;
  return <IconComponent size={size} />;
}

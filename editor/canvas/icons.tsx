// Renders the icons of node categories and issue severities.
import CircleAlert from 'icon:circle-alert';
import Clapperboard from 'icon:clapperboard';
import Component from 'icon:component';
import Eye from 'icon:eye';
import GitBranch from 'icon:git-branch';
import LogIn from 'icon:log-in';
import Sparkles from 'icon:sparkles';
import TriangleAlert from 'icon:triangle-alert';
import Wrench from 'icon:wrench';
import type { LintIssue } from '../../src/graph/issues.ts';
import type { Icon } from '../kit/icon.ts';
import styles from './severity-icon.module.css';

const ICONS: Readonly<Record<string, Icon>> = {
  input: LogIn,
  model: Sparkles,
  utility: Wrench,
  logic: GitBranch,
  output: Eye,
  video: Clapperboard,
  component: Component,
};

export function CategoryIcon({ category, size = 16 }: { readonly category: string; readonly size?: number }) {
  const IconComponent = ICONS[category] ?? Wrench;
  return <IconComponent size={size} />;
}

interface SeverityIconProps {
  readonly severity: LintIssue['severity'];
  readonly size?: number;
}

export function SeverityIcon({ severity, size }: SeverityIconProps) {
  const IconComponent = severity === 'error' ? CircleAlert : TriangleAlert;
  return <IconComponent className={styles[severity]} size={size} />;
}

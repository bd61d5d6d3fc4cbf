// Renders the icon of an issue: error or warning.

import CircleAlert from 'icon:circle-alert';
import TriangleAlert from 'icon:triangle-alert';
import type { LintIssue } from '../../src/graph/issues.ts';
import styles from './severity-icon.module.css';

interface SeverityIconProps {
  readonly severity: LintIssue['severity'];
  readonly size?: number;
}

export function SeverityIcon({ severity, size }: SeverityIconProps) {
  const IconComponent = severity === 'error' ? CircleAlert : TriangleAlert;
  return <IconComponent className={styles[severity]} size={size} />;
}

{{- define "graphwright.labels" -}}
app.kubernetes.io/name: graphwright
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "graphwright.selector" -}}
app.kubernetes.io/name: graphwright
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "graphwright.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "graphwright.container" -}}
image: {{ include "graphwright.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef:
      name: {{ .Release.Name }}
  - secretRef:
      name: {{ .Values.existingSecret }}
{{- with .Values.database.secret }}
env:
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef:
        name: {{ . }}
        key: {{ $.Values.database.key }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
  - name: data
    mountPath: /data
{{- end }}

{{- define "graphwright.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
volumes:
  - name: tmp
    emptyDir: {}
  - name: data
    emptyDir: {}
{{- end }}

{{- define "gouji.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}

{{- define "gouji.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "gouji.name" .) .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name (include "gouji.name" .) | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- /* Who calls whom by gRPC; the network policies allow this and nothing else. services/README.md has the reasons. */ -}}
{{- define "gouji.calls" -}}
door: [gateway, matchmaking, table, bot, scoring]
gateway: [matchmaking, table, scoring]
matchmaking: [table, bot, scoring]
table: [table, bot, scoring]
bot: []
scoring: [matchmaking, table, bot]
migrate: []
{{- end -}}

{{- /* What reads the database. */ -}}
{{- define "gouji.withDatabase" -}}
[door, gateway, matchmaking, table, scoring, migrate]
{{- end -}}

{{- define "gouji.services" -}}
[gateway, matchmaking, table, bot, scoring]
{{- end -}}

{{- /* Labels that never change: they select. Takes root and component. */ -}}
{{- define "gouji.selector" -}}
app.kubernetes.io/name: {{ include "gouji.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- /* Pods of a component, as a network policy names them. */ -}}
{{- define "gouji.peer" -}}
podSelector: { matchLabels: { app.kubernetes.io/name: {{ include "gouji.name" .root }}, app.kubernetes.io/instance: {{ .root.Release.Name }}, app.kubernetes.io/component: {{ .component }} } }
{{- end -}}

{{- define "gouji.labels" -}}
{{ include "gouji.selector" . }}
app.kubernetes.io/part-of: gouji
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name (.root.Chart.Version | replace "+" "_") }}
{{- end -}}

{{- /* Takes an image of the values and the tag to use when it names none. */ -}}
{{- define "gouji.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .tag }}
{{- end -}}
{{- end -}}

{{- define "gouji.ownImage" -}}
image: {{ include "gouji.image" (dict "image" .Values.image "tag" .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end -}}

{{- /* No root, no profile of the kernel but the runtime's, and files of volumes readable for our group. */ -}}
{{- define "gouji.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "gouji.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- /* What every pod has, whatever runs in it. Takes root, component, and an account if it is not ours. */ -}}
{{- define "gouji.podCommon" -}}
serviceAccountName: {{ .account | default (include "gouji.fullname" .root) }}
automountServiceAccountToken: false
enableServiceLinks: false # a Service named gouji would set GOUJI_PORT
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "gouji.podMetadata" -}}
labels:
  {{- include "gouji.labels" . | nindent 2 }}
  {{- with .root.Values.podLabels }}{{ toYaml . | nindent 2 }}{{ end }}
{{- with .root.Values.podAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* Pods of one revision are spread, so that an upgrade does not count those that go. */ -}}
{{- define "gouji.spread" -}}
topologySpreadConstraints:
  {{- range .root.Values.spread.topologyKeys }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: {{ $.root.Values.spread.whenUnsatisfiable }}
    labelSelector:
      matchLabels: {{- include "gouji.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}

{{- /* Live: the event loop turns (5 s to do so). Ready: registered, and not draining. Started: as live, for 2 minutes. */ -}}
{{- define "gouji.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: metrics }
  periodSeconds: 2
  timeoutSeconds: 6
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 6
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 5
  timeoutSeconds: 2
  failureThreshold: 2
{{- end -}}

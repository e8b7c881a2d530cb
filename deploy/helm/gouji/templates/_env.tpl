{{- /* A setting from a Secret. Takes name, secret, key. */ -}}
{{- define "gouji.secretEnv" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .secret | quote }}, key: {{ .key | quote }} } }
{{- end -}}

{{- define "gouji.databaseEnv" -}}
{{ include "gouji.secretEnv" (dict "name" "GOUJI_DATABASE_URL" "secret" .Values.database.existingSecret "key" .Values.database.urlKey) }}
{{- end -}}

{{- /* Addresses at which all pods listen. */ -}}
{{- define "gouji.everywhere" -}}
{{ eq .Values.network.ipFamily "IPv6" | ternary "::" "0.0.0.0" }}
{{- end -}}

{{- /* Settings that the values name, those of one service over those of all; numbers as they were written. */ -}}
{{- define "gouji.settingsEnv" -}}
{{- range $name, $value := mustMergeOverwrite (deepCopy .root.Values.settings) .own }}
- name: GOUJI_{{ upper $name }}
  value: {{ $value | toJson | trimAll "\"" | quote }}
{{- end }}
{{- end -}}

{{- define "gouji.insideEnv" -}}
{{- if .Values.insideTls.existingSecret }}
- { name: GOUJI_INSIDE_CERTIFICATE, value: /tls/inside/tls.crt }
- { name: GOUJI_INSIDE_KEY, value: /tls/inside/tls.key }
- { name: GOUJI_INSIDE_AUTHORITY, value: /tls/inside/ca.crt }
- { name: GOUJI_INSIDE_NAME, value: {{ .Values.insideTls.name | quote }} }
{{- end }}
{{- end -}}

{{- define "gouji.addressEnv" -}}
{{- range .names }}
- { name: GOUJI_{{ upper . }}_ADDRESS, value: "{{ include "gouji.fullname" $.root }}-{{ . }}:7100" }
{{- end }}
{{- end -}}

{{- /* Keys that a service reads. Takes root and component. */ -}}
{{- define "gouji.keysEnv" -}}
{{- $keys := .root.Values.keys }}
{{- include "gouji.secretEnv" (dict "name" "GOUJI_SERVICE_KEY" "secret" $keys.existingSecret "key" $keys.serviceKey) }}
{{- if not $keys.playerFiles.existingSecret }}
{{ include "gouji.secretEnv" (dict "name" "GOUJI_PLAYER_KEY" "secret" $keys.existingSecret "key" $keys.playerKey) }}
{{- else if eq .component "gateway" }}
- name: GOUJI_PLAYER_KEY_FILES
  value: "{{ range $at, $file := $keys.playerFiles.files }}{{ if $at }},{{ end }}/keys/{{ $file }}{{ end }}"
{{- else }}
- { name: GOUJI_PLAYER_JWKS, value: "http://{{ include "gouji.fullname" .root }}-gateway:7180/.well-known/jwks.json" }
{{- end }}
{{- if has .component (list "table" "scoring") }}
{{ include "gouji.secretEnv" (dict "name" "GOUJI_LOG_KEYS" "secret" $keys.existingSecret "key" $keys.logKeys) }}
{{- end }}
{{- if eq .component "gateway" }}
{{ include "gouji.secretEnv" (dict "name" "GOUJI_IDENTITY_KEY" "secret" $keys.existingSecret "key" $keys.identityKey) }}
{{- end }}
{{- end -}}

{{- /* All settings of one of the five services. Takes root, component and values. */ -}}
{{- define "gouji.serviceEnv" -}}
{{- $root := .root }}
- { name: GOUJI_HOST, value: {{ include "gouji.everywhere" $root | quote }} }
- { name: GOUJI_PORT, value: "7100" }
- { name: GOUJI_METRICS_PORT, value: "7190" }
- { name: GOUJI_LOG_FORMAT, value: json }
- { name: GOUJI_SHUTDOWN_GRACE_SECONDS, value: {{ $root.Values.shutdownGraceSeconds | quote }} }
- { name: GOUJI_TRUSTED_PROXIES, value: {{ $root.Values.network.trustedProxies | quote }} }
{{- if has .component (include "gouji.withDatabase" $root | fromYamlArray) }}
{{ include "gouji.databaseEnv" $root }}
{{- end }}
{{ include "gouji.keysEnv" . }}
{{- include "gouji.insideEnv" $root }}
{{- $calls := include "gouji.calls" $root | fromYaml }}
{{- include "gouji.addressEnv" (dict "root" $root "names" (without (get $calls .component) .component)) }}
{{- if eq .component "gateway" }}
- { name: GOUJI_WEB_PORT, value: "7180" }
{{- else if eq .component "table" }}
- name: POD_IP # of no name: the door is told numbers, and a server is dialled by itself
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
- { name: GOUJI_ADVERTISE_ADDRESS, value: {{ eq $root.Values.network.ipFamily "IPv6" | ternary "[$(POD_IP)]:7100" "$(POD_IP):7100" | quote }} }
- { name: GOUJI_DRAIN_SECONDS, value: {{ .values.drainSeconds | quote }} }
{{- else if eq .component "bot" }}
- name: GOUJI_BOT_SEARCH_THREADS # as many as it has cores here, not as the node has
  valueFrom: { resourceFieldRef: { resource: limits.cpu, containerName: bot } }
{{- else if and (eq .component "scoring") $root.Values.webhooks.existingSecret }}
{{ include "gouji.secretEnv" (dict "name" "GOUJI_WEBHOOK_ENDPOINTS" "secret" $root.Values.webhooks.existingSecret "key" "endpoints") }}
{{ include "gouji.secretEnv" (dict "name" "GOUJI_WEBHOOK_SECRETS" "secret" $root.Values.webhooks.existingSecret "key" "secrets") }}
{{- end }}
{{- include "gouji.settingsEnv" (dict "root" $root "own" .values.settings) }}
{{- end -}}

{{- /* Brings the tables up to date; several at once wait for each other. */ -}}
{{- define "gouji.migrateContainer" -}}
- name: migrate
  {{- include "gouji.ownImage" . | nindent 2 }}
  args: [migrate]
  securityContext: {{- include "gouji.containerSecurity" . | nindent 4 }}
  env:
    {{- include "gouji.databaseEnv" . | nindent 4 }}
  resources: {{- toYaml .Values.migrate.resources | nindent 4 }}
{{- end -}}

import django.db.models.deletion
import uuid_utils.compat
from django.db import migrations, models


def name_skills(apps, schema_editor):
    names = apps.get_model('skills', 'SkillName').objects
    rows = apps.get_model('skills', 'Skill').objects.values_list('pk', 'scope', 'name')
    names.bulk_create((names.model(skill_id=pk, scope=scope, name=name) for pk, scope, name in rows), batch_size=1000)


class Migration(migrations.Migration):

    contract = {'skill_name_is_unique_in_its_scope': 'the trigger of 0005_names_by_trigger refuses a second one instead'}

    dependencies = [
        ('skills', '0002_uses'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='skill',
            name='skill_name_is_unique_in_its_scope',
        ),
        migrations.CreateModel(
            name='SkillName',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('scope', models.CharField(blank=True, max_length=128)),
                ('name', models.CharField(max_length=64)),
                ('skill', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='names', to='skills.skill')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('scope', 'name'), name='skill_name_is_unique_in_its_scope')],
            },
        ),
        migrations.RunPython(name_skills, migrations.RunPython.noop, elidable=True),
        migrations.AddField(
            model_name='skillversion',
            name='merges',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='merged_by', to='skills.skill'),
        ),
        migrations.AlterField(
            model_name='skillversion',
            name='made_by',
            field=models.CharField(choices=[('consolidation', 'Consolidation'), ('extraction', 'Extraction'), ('upload', 'Upload'), ('edit', 'Edit'), ('restore', 'Restore'), ('merge', 'Merge')], max_length=16),
        ),
    ]
